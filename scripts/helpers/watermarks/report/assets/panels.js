// Which charts a job has, one below the other over one time axis: marks, their lag, rows, files, durations, values.

const MOST_VALUE_PANELS = 4;
const TALL = 210;
const LOW = 120;

function panelsOf(job, theme, now) {
    const numbered = job.series.map((series, place) => ({ series, style: lineStyle(theme, place) }));
    const times = numbered.filter(({ series }) => series.isTime && hasPoints(series));
    const others = numbered.filter(({ series }) => !series.isTime && hasPoints(series));
    const sources = others.filter(({ series }) => series.role === 'source');
    const values = others.filter(({ series }) => series.role === 'value').slice(0, MOST_VALUE_PANELS);
    return [
        times.length ? timesPanel(job, times, theme, now) : null,
        ...sources.map((each) => markPanel(job, each, theme, now)),
        lagPanel(job, numbered, theme, now),
        countPanel(job, job.rows, 'row', theme),
        countPanel(job, job.files, 'file', theme),
        durationPanel(job, theme),
        ...values.map((each) => valuePanel(job, each, theme)),
    ].filter((panel) => panel !== null);
}

function hasPoints(series) {
    return series.y.some((each) => each !== null);
}

function titleOf(series) {
    const about = series.about && series.about !== series.name ? ` · ${shortened(series.about, 48)}` : '';
    return `${shortened(series.name, 40)}${about}`;
}

function timesPanel(job, times, theme, now) {
    const [{ series }] = times;
    const noun = series.role === 'source' ? 'Mark' : 'Recorded';
    const zoneless = times.every((each) => each.series.kind !== 'timestamp');
    return {
        title: times.length === 1 ? `${noun}: ${titleOf(series)}` : `${noun}s`,
        unit: zoneless ? 'as recorded, without zone' : '',
        height: TALL,
        axis: { type: 'date', nticks: 7, ...(areFewDays(times) ? { dtick: DAY, tickformat: '%b %-d\n%Y' } : {}) },
        traces: () =>
            times.flatMap((each) => [
                stepLine(job, each.series, theme, each.style, now),
                ...(each.series.role === 'source' ? markEvents(job, each.series, theme) : []),
            ]),
    };
}

// Between dates there is nothing to mark on the axis.
function areFewDays(times) {
    if (times.some(({ series }) => series.kind !== 'date')) return false;
    const days = times.flatMap(({ series }) => series.y.filter((each) => each !== null));
    return (
        days.reduce((most, each) => Math.max(most, each), -Infinity) -
            days.reduce((least, each) => Math.min(least, each), Infinity) <=
        5e3 * DAY
    );
}

function markPanel(job, { series, style }, theme, now) {
    return {
        title: `Mark: ${titleOf(series)}`,
        unit: unitOf(series),
        height: TALL,
        axis: series.labels ? textAxis(series) : numberAxis(series),
        traces: () => [stepLine(job, series, theme, style, now), ...markEvents(job, series, theme)],
    };
}

function unitOf(series) {
    if (series.labels) return 'texts in their order; distances mean nothing';
    return series.base ? `above ${series.base}` : '';
}

// Ids are read to the last digit, so they are never rounded to millions.
function numberAxis(series) {
    const whole = series.y.every((each) => each === null || Number.isInteger(each));
    return { type: 'linear', nticks: 5, tickformat: whole ? ',d' : ',' };
}

function textAxis(series) {
    const { length } = series.labels;
    const count = Math.min(5, length);
    const places = indices(count).map((each) => (count === 1 ? 0 : Math.round((each * (length - 1)) / (count - 1))));
    return {
        type: 'linear',
        tickmode: 'array',
        tickvals: places,
        ticktext: places.map((each) => plain(shortened(series.labels[each], 18)) || '(empty)'),
        range: [-0.1 * length - 0.2, (length - 1) * 1.1 + 0.2],
    };
}

function lagPanel(job, numbered, theme, now) {
    const clocks = clocksOf(job);
    const styled = numbered.filter(({ series }) => clocks.includes(series) && hasPoints(series));
    if (!styled.length) return null;
    const lags = styled.flatMap(({ series }) => [
        ...job.at.map((at, each) => behind(series, each, at)),
        behind(series, latestIndex(series), now),
    ]);
    const { shown, note } = heightFor(lags, durationText);
    const unit = durationUnit(shown);
    return {
        title: 'Behind the clock',
        unit: unit.name + note,
        height: LOW,
        axis: { type: 'linear', nticks: 4, rangemode: 'tozero', cut: note && shown / unit.size },
        traces: () => [
            ...styled.map(({ series, style }) => lagLine(job, series, theme, style, now, unit)),
            ...styled.map(({ series }) => lagFailures(job, series, theme, unit)).filter((trace) => trace.x.length),
        ],
    };
}

// How high an axis reaches. A full load or a rewind towers above all that comes after it: where a few values would
// press all others flat, they are cut off, and the title says how high they are.
function heightFor(values, tell) {
    const known = values.filter((each) => each !== null).sort((one, other) => one - other);
    const highest = known.length ? Math.max(0, known[known.length - 1]) : 0;
    const usual = known.length >= 12 ? known[Math.floor(known.length * 0.9)] : highest;
    if (usual <= 0 || highest <= 6 * usual) return { shown: highest, note: '' };
    return { shown: 2 * usual, note: `, cut off: the highest is ${tell(highest)}` };
}

function countPanel(job, counts, thing, theme) {
    if (!counts.some((each) => each !== null)) return null;
    const { shown, note } = heightFor(counts, numberText);
    return {
        title: `${thing === 'row' ? 'Rows' : 'Files'} per run`,
        unit: note.replace(', ', ''),
        height: LOW,
        axis: {
            type: 'linear',
            nticks: 4,
            rangemode: 'tozero',
            tickformat: shown >= 1e5 ? '~s' : ',d',
            atLeast: 4,
            cut: note && shown,
        },
        traces: () =>
            stems(
                job,
                counts,
                (each) => (counts[each] === null ? `${thing}s not counted` : countText(counts[each], thing)),
                theme,
            ),
    };
}

function durationPanel(job, theme) {
    if (!job.took.some((each) => each !== null)) return null;
    const { shown, note } = heightFor(job.took, durationText);
    const unit = durationUnit(shown);
    return {
        title: 'Duration',
        unit: unit.name + note,
        height: LOW,
        axis: { type: 'linear', nticks: 4, rangemode: 'tozero', cut: note && shown / unit.size },
        traces: () => stems(job, job.took, (each) => durationText(job.took[each]), theme, unit.size),
    };
}

function valuePanel(job, { series, style }, theme) {
    return {
        title: `Recorded: ${titleOf(series)}`,
        unit: unitOf(series),
        height: LOW,
        axis: numberAxis(series),
        traces: () => [stepLine(job, series, theme, style, null)],
    };
}
