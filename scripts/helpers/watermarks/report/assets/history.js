// The table of everything that happened to a job: sorted, filtered and turned page by page, whatever its length.

const PAGE = 50;
const MOST_LINES = 4;

function historyColumns(job) {
    const has = (values) => values.some((each) => each !== null);
    return [
        { name: 'Recorded', value: (each) => job.at[each], cell: (each) => moment(job.at[each]), kind: 'time' },
        { name: 'Status', value: (each) => statusWord(job.what[each]), cell: (each) => badge(job.what[each]) },
        { name: 'Run', value: (each) => job.id[each], cell: (each) => runCell(job, each), kind: 'id' },
        has(job.batch) && {
            name: 'Batch',
            value: (each) => job.batch[each],
            cell: (each) => numberText(job.batch[each]),
            kind: 'number',
        },
        has(job.took) && {
            name: 'Duration',
            value: (each) => job.took[each],
            cell: (each) => durationText(job.took[each]),
            kind: 'number',
        },
        has(job.rows) && {
            name: 'Rows',
            value: (each) => job.rows[each],
            cell: (each) => numberText(job.rows[each]),
            kind: 'number',
        },
        has(job.files) && {
            name: 'Files',
            value: (each) => job.files[each],
            cell: (each) => numberText(job.files[each]),
            kind: 'number',
        },
        { name: 'Marks and values after it', cell: (each) => pointsCell(job, each), kind: 'marks' },
        { name: 'What happened', cell: (each) => noteCell(job, each), kind: 'note' },
    ].filter(Boolean);
}

function runCell(job, index) {
    if (!isRun(job, index)) return NOTHING;
    return isolated(job.id[index], { title: job.id[index] });
}

function noteCell(job, index) {
    return isolated(noteText(job, index, true), isRun(job, index) ? {} : { title: noteText(job, index) });
}

function pointsCell(job, index) {
    const lines = pointsOf(job, index).map(([name, text]) =>
        element(
            'div',
            { class: name.length + text.length < 42 ? 'short' : null },
            name ? isolated(name, { class: 'name' }) : null,
            name ? ' ' : null,
            isolated(text),
        ),
    );
    if (lines.length <= MOST_LINES) return element('div', {}, ...lines);
    const rest = lines.splice(MOST_LINES - 1);
    return element('div', {}, ...lines, element('details', {}, element('summary', {}, `${rest.length} more`), ...rest));
}

// The events to show, in order. What has no value comes last either way.
function ordered(job, found, value, direction) {
    return found.sort((one, other) => {
        const [a, b] = [value(one), value(other)];
        if (a === b) return other - one;
        if (a === null || b === null) return a === null ? 1 : -1;
        return (a < b ? -1 : 1) * direction;
    });
}

function makeHistory(job) {
    const columns = historyColumns(job);
    const view = { column: columns[0], direction: -1, words: [], what: '', page: 0, found: [] };
    const id = (name) => `${name}-${job.index}`;
    let texts = null; // made when somebody first looks for something
    const textOf = (each) => {
        texts ??= new Map();
        if (!texts.has(each)) {
            const told = [
                timeText(job.at[each]),
                statusWord(job.what[each]),
                job.id[each] ?? '',
                pointsText(job, each),
                noteText(job, each),
            ];
            texts.set(each, told.join('\n').toLowerCase());
        }
        return texts.get(each);
    };

    const body = element('tbody');
    const heads = columns.map((column) =>
        headOf(column, () => {
            view.direction = view.column === column ? -view.direction : column.kind === 'id' ? 1 : -1;
            view.column = column;
            find();
        }),
    );
    const search = element('input', {
        type: 'search',
        id: id('search'),
        placeholder: 'run, mark, error, person …',
        autocomplete: 'off',
        spellcheck: 'false',
        oninput: () => {
            view.words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
            find();
        },
    });
    const whats = [...new Set(job.what)].sort();
    const choice = element(
        'select',
        {
            id: id('status'),
            oninput: () => {
                view.what = choice.value;
                find();
            },
        },
        element('option', { value: '' }, 'all'),
        ...whats.map((what) => element('option', { value: what }, statusWord(what))),
    );
    const told = element('p', { class: 'told', role: 'status' });
    const turn = (name, words, to) =>
        element(
            'button',
            {
                type: 'button',
                'aria-label': words,
                onclick: () => {
                    view.page = Math.max(0, Math.min(last(), to()));
                    show();
                },
            },
            name,
        );
    const last = () => Math.max(0, Math.ceil(view.found.length / PAGE) - 1);
    const pager = element(
        'nav',
        { class: 'pager', 'aria-label': `Pages of the history of ${job.name}` },
        turn('«', 'First page', () => 0),
        turn('‹', 'Previous page', () => view.page - 1),
        turn('›', 'Next page', () => view.page + 1),
        turn('»', 'Last page', last),
    );

    function find() {
        const matches = (each) =>
            (!view.what || job.what[each] === view.what) && view.words.every((word) => textOf(each).includes(word));
        view.found = ordered(job, indices(job.count).filter(matches), view.column.value, view.direction);
        view.page = 0;
        show();
    }

    function show() {
        const start = view.page * PAGE;
        const rows = view.found.slice(start, start + PAGE);
        body.replaceChildren(...(rows.length ? rows.map(rowOf) : [nothingFound(columns.length)]));
        columns.forEach((column, place) => {
            const sorted = column === view.column ? (view.direction > 0 ? 'ascending' : 'descending') : 'none';
            if (column.value) heads[place].setAttribute('aria-sort', sorted);
        });
        told.textContent = pageText(start, rows.length, view.found.length, job.count);
        pager.hidden = last() === 0;
        const [first, previous, next, end] = pager.children;
        // Not `disabled`: a button that is would lose the keyboard's focus just when it was pressed.
        for (const each of [first, previous]) each.setAttribute('aria-disabled', view.page === 0);
        for (const each of [next, end]) each.setAttribute('aria-disabled', view.page >= last());
    }

    const rowOf = (each) =>
        element(
            'tr',
            { 'data-what': job.what[each] },
            ...columns.map((column) => element('td', { class: column.kind ?? null }, column.cell(each))),
        );

    find();
    return {
        root: element(
            'div',
            { class: 'history' },
            element(
                'div',
                { class: 'controls', role: 'search' },
                element('label', { for: id('search') }, 'Find', search),
                element('label', { for: id('status') }, 'Status', choice),
                told,
                pager,
            ),
            element(
                'div',
                { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': `History of ${job.name}` },
                element(
                    'table',
                    {},
                    element('caption', { class: 'unseen' }, `Runs and operators' changes of ${job.name}`),
                    element('thead', {}, element('tr', {}, ...heads)),
                    body,
                ),
            ),
        ),
        zoneChanged: () => {
            texts = null;
            show();
        },
    };
}

function headOf(column, sort) {
    if (!column.value) return element('th', { scope: 'col' }, column.name);
    return element(
        'th',
        { scope: 'col', class: column.kind === 'number' ? 'number' : null, 'aria-sort': 'none' },
        element(
            'button',
            { type: 'button', onclick: sort },
            column.name,
            element('span', { class: 'arrow', 'aria-hidden': 'true' }),
        ),
    );
}

// `31 entries`, `2 of 31`, `51–100 of 10,001`, `51–100 of 314 (10,001 in all)`.
function pageText(start, shown, found, all) {
    if (!found) return `none of ${numberText(all)}`;
    if (shown < found) {
        const range = `${numberText(start + 1)}–${numberText(start + shown)} of ${numberText(found)}`;
        return found === all ? range : `${range} (${numberText(all)} in all)`;
    }
    if (found < all) return `${numberText(found)} of ${numberText(all)}`;
    return all === 1 ? '1 entry' : `${numberText(all)} entries`;
}

function nothingFound(width) {
    return element(
        'tr',
        {},
        element('td', { colspan: width, class: 'empty' }, 'Nothing fits. Take something out of the filter.'),
    );
}
