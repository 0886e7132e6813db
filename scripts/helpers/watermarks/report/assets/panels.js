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
        countPanel(job, job.rows, 'row', theme, now),
        countPanel(job, job.files, 'file', theme, now),
        durationPanel(job, theme, now),
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
        // Lines first: what happened is never hidden behind another source's line.
        traces: () => [
            ...times.map((each) => stepLine(job, each.series, theme, each.style, now)),
            ...times
                .filter((each) => each.series.role === 'source')
                .flatMap((each) => markEvents(job, each.series, theme)),
        ],
    };
}

// Between dates there is nothing to mark on the axis.
function areFewDays(times) {
    if (times.some(({ series }) => series.kind !== 'date')) return false;
    const { least, most } = extremes(times.flatMap(({ series }) => series.y.filter((each) => each !== null)));
    return (most - least) / 1000 <= 5 * DAY;
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

// Ids are read to the last digit, never rounded to millions. Between whole numbers there is nothing to mark.
function numberAxis(series) {
    const known = series.y.filter((each) => each !== null);
    if (!known.every(Number.isInteger)) return { type: 'linear', nticks: 5, tickformat: ',' };
    const { least, most } = extremes(known);
    return { type: 'linear', nticks: 5, tickformat: ',d', ...(most - least < 5 ? { dtick: 1 } : {}) };
}

function extremes(numbers) {
    // Not Math.max(...numbers): an array of a job's whole history is too many arguments.
    const most = numbers.reduce((found, each) => Math.max(found, each), -Infinity);
    return { most, least: numbers.reduce((found, each) => Math.min(found, each), Infinity) };
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
    const current = styled.map(({ series }) => behind(series, latestIndex(series), now));
    const lags = styled.flatMap(({ series }) => job.at.map((at, each) => behind(series, each, at)));
    const { shown, note } = heightFor([...lags, ...current], durationText, current);
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
// press all others flat, they are cut off, and the title says how high they are. What is kept is never cut off.
function heightFor(values, tell, kept = []) {
    const known = values.filter((each) => each !== null).sort((one, other) => one - other);
    const highest = known.length ? Math.max(0, known[known.length - 1]) : 0;
    const usual = known.length >= 12 ? known[Math.floor(known.length * 0.9)] : highest;
    const shown = Math.max(2 * usual, ...kept.map((each) => 1.1 * (each ?? 0)));
    if (usual <= 0 || highest <= Math.max(6 * usual, shown)) return { shown: highest, note: '' };
    return { shown, note: `, cut off: the highest is ${tell(highest)}` };
}

function countPanel(job, counts, thing, theme, now) {
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
                now,
            ),
    };
}

function durationPanel(job, theme, now) {
    if (!job.took.some((each) => each !== null)) return null;
    const { shown, note } = heightFor(job.took, durationText);
    const unit = durationUnit(shown);
    return {
        title: 'Duration',
        unit: unit.name + note,
        height: LOW,
        axis: { type: 'linear', nticks: 4, rangemode: 'tozero', cut: note && shown / unit.size },
        traces: () => stems(job, job.took, (each) => durationText(job.took[each]), theme, now, unit.size),
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
