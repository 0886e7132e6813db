// All jobs at a glance, where there are several, and the head of each job's own section.

const SPARKS = 60;

function makeOverview(jobs, now) {
    const heads = ['Job', 'Status', 'Behind the clock', 'Last run', 'Runs', 'Failed', 'Rows or files, latest runs'];
    const rows = jobs.map((job) => {
        const age = largestAge(job, now);
        const lastRun = job.runs.length ? job.at[job.runs[job.runs.length - 1]] : null;
        return element(
            'tr',
            {},
            element('th', { scope: 'row' }, element('a', { href: `#job-${job.index}` }, isolated(job.name))),
            element('td', {}, badge(statusOf(job))),
            element('td', { class: 'number' }, age !== null && age < 0 ? agoText(age) : durationText(age)),
            element('td', { class: 'time' }, moment(lastRun)),
            element('td', { class: 'number' }, numberText(job.runs.length)),
            element('td', { class: job.failures.length ? 'number some' : 'number' }, numberText(job.failures.length)),
            element('td', { class: 'spark-cell' }, sparkline(job)),
        );
    });
    const numbers = new Set([2, 4, 5]);
    return element(
        'section',
        { class: 'overview', 'aria-labelledby': 'overview' },
        element('h2', { id: 'overview' }, countText(jobs.length, 'job')),
        element(
            'div',
            { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': 'Overview' },
            element(
                'table',
                {},
                element(
                    'thead',
                    {},
                    element(
                        'tr',
                        {},
                        ...heads.map((head, place) =>
                            element('th', { scope: 'col', class: numbers.has(place) ? 'number' : null }, head),
                        ),
                    ),
                ),
                element('tbody', {}, ...rows),
            ),
        ),
    );
}

function statusOf(job) {
    if (job.state) return job.state.status;
    return job.runs.length ? job.what[job.runs[job.runs.length - 1]] : 'NO_RUN';
}

function sparkline(job) {
    const counts = job.rows.some((each) => each !== null) ? job.rows : job.files;
    const thing = counts === job.rows ? 'rows' : 'files';
    const shown = job.runs.slice(-SPARKS);
    // The full load towers above the deltas: it is cut off here as in the charts.
    const most = Math.max(
        1,
        heightFor(
            shown.map((each) => counts[each]),
            numberText,
        ).shown,
    );
    if (!shown.some((each) => counts[each] !== null)) return NOTHING;
    const step = Math.max(2, Math.min(6, Math.floor((2 * SPARKS) / shown.length)));
    const bars = shown.map((each, place) => {
        const failed = job.what[each] === 'FAILED';
        const height = Math.max(failed ? 3 : 1, Math.min(22, Math.round((20 * (counts[each] ?? 0)) / most)));
        return drawing('rect', {
            x: step * place,
            y: 22 - height,
            width: 0.75 * step,
            height,
            class: failed ? 'failed' : null,
        });
    });
    const largest = shown.reduce((found, each) => Math.max(found, counts[each] ?? 0), 0);
    const label = `${thing} of the latest ${countText(shown.length, 'run')}, at most ${numberText(largest)}`;
    return drawing('svg', { class: 'spark', width: 2 * SPARKS, height: 22, role: 'img', 'aria-label': label }, ...bars);
}

function makeHead(job, now) {
    const facts = [];
    const fact = (name, ...told) => facts.push(element('div', {}, element('dt', {}, name), element('dd', {}, ...told)));
    for (const series of marksOf(job)) {
        const text = series.textAt(series.now);
        if (text === null && !hasPoints(series)) continue;
        const age = behind(series, series.now, now);
        fact(
            `Mark of ${series.name}`,
            element(
                'span',
                { class: 'mark', 'data-mark': `${job.index}/${job.series.indexOf(series)}` },
                isolated(text ?? 'no mark'),
            ),
            age === null ? null : element('small', {}, agoText(age)),
        );
    }
    if (job.state?.runId) fact('Latest run', isolated(job.state.runId, { class: 'id', title: job.state.runId }));
    if (job.state?.batch) fact('Batch', numberText(job.state.batch));
    if (job.state?.updated)
        fact('Last change', moment(job.state.updated), element('small', {}, agoText(now - job.state.updated)));
    const lease = job.state?.lease;
    if (lease)
        fact(
            job.state.status === 'STALLED' ? 'Ended without a word' : 'Running',
            isolated(lease.runId, { class: 'id', title: lease.runId }),
            element('small', {}, `since ${durationText(now - lease.since)}`),
        );
    if (job.state?.attempts) fact('Attempts since the last commit', numberText(job.state.attempts));
    const counted = `${countText(job.runs.length, 'run')}${job.complete ? '' : ', the latest'}`;
    const failed = job.failures.length ? `, ${numberText(job.failures.length)} failed` : '';
    return [
        element(
            'div',
            { class: 'job-title' },
            element('h2', { id: `title-${job.index}` }, isolated(job.name)),
            badge(statusOf(job)),
            element('span', { class: 'counted' }, `${counted}${failed}`),
        ),
        element('dl', { class: 'facts' }, ...facts),
    ];
}
