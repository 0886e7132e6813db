// Puts the page together: what is on screen is drawn at once, the rest when it comes into view.

const report = JSON.parse(document.getElementById('data').textContent);
const now = report.generatedAt;
const jobs = report.jobs.map(readJob);
const sections = jobs.map(makeSection);

function makeSection(job) {
    const root = element(
        'section',
        { class: 'job', id: `job-${job.index}`, 'aria-labelledby': `title-${job.index}` },
        ...makeHead(job, now),
    );
    const section = { job, root, figure: null, place: null, history: null };
    if (!job.count) {
        root.append(element('p', { class: 'empty' }, 'No run on record yet.'));
        return section;
    }
    if (panelsOf(job, themeNow(), now).length) {
        section.figure = makeFigure(job, now);
        root.append(section.figure.figure);
    }
    section.place = element('div', { class: 'history' });
    root.append(section.place);
    return section;
}

function draw(section) {
    if (section.history || !section.place) return;
    section.figure?.draw();
    section.history = makeHistory(section.job);
    section.place.replaceWith(section.history.root);
}

function redraw() {
    for (const { figure } of sections) if (figure?.isDrawn) figure.draw();
}

function tellFacts() {
    document
        .getElementById('page-facts')
        .replaceChildren('table ', isolated(report.table, { class: 'table-name' }), ' · as of ', moment(now));
}

function zoneChanged(utc) {
    zone.utc = utc;
    for (const each of document.querySelectorAll('time[data-ms]')) each.textContent = timeText(Number(each.dataset.ms));
    for (const each of document.querySelectorAll('[data-mark]')) {
        const [job, series] = each.dataset.mark.split('/').map(Number);
        const { textAt, now: latest } = jobs[job].series[series];
        each.replaceChildren(isolated(textAt(latest) ?? 'no mark'));
    }
    for (const { history } of sections) history?.zoneChanged();
    redraw();
}

const main = document.getElementById('main');
if (jobs.length > 1) main.append(makeOverview(jobs, now));
if (!jobs.length) main.append(element('p', { class: 'empty' }, 'There is no job in this table yet.'));
main.append(...sections.map(({ root }) => root));
tellFacts();

const local = Intl.DateTimeFormat().resolvedOptions().timeZone;
document.getElementById('local-zone').textContent = local ? `Local (${local})` : 'Local';
document.getElementById('zone').addEventListener('change', (event) => zoneChanged(event.target.value === 'utc'));

const seen = new IntersectionObserver(
    (entries) => {
        for (const entry of entries) {
            if (!entry.isIntersecting) continue;
            seen.unobserve(entry.target);
            draw(sections.find(({ root }) => root === entry.target));
        }
    },
    { rootMargin: '600px' },
);
for (const { root } of sections) seen.observe(root);

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);

// Paper is white and has no scroll bar: everything is drawn, in the light colours.
addEventListener('beforeprint', () => {
    document.documentElement.dataset.theme = 'light';
    sections.forEach(draw);
    redraw();
});
addEventListener('afterprint', () => {
    delete document.documentElement.dataset.theme;
    redraw();
});
