// What is drawn: step lines, stems, and the marks of failures and operators, for plotly.js.

const MANY = 600;
const MOST_MARKERS = 1500;

function tooltip(job, index, ...lines) {
    const head = isRun(job, index) ? job.id[index] : job.what[index];
    const note = noteText(job, index);
    const told = [
        `<b>${plain(shortened(head ?? '', 72))}</b>`,
        timeText(job.at[index]),
        ...lines.map((each) => wrapped(each)),
    ];
    if (note) told.push(wrapped(note));
    return told.join('<br>');
}

const hovering = (theme) => ({
    hoverinfo: 'text',
    hoverlabel: {
        bgcolor: theme.raised,
        bordercolor: theme.muted,
        font: { color: theme.ink, size: 12, family: theme.font },
        align: 'left',
    },
});

// A mark stays where it is until a run or an operator moves it: a step line, on to the present day.
function stepLine(job, series, theme, style, now) {
    const shown = indices(job.count).filter((each) => job.at[each] !== null);
    const x = shown.map((each) => plotTime(job.at[each]));
    const y = shown.map((each) => heightAt(series, each));
    const hovertext = shown.map((each) => tooltip(job, each, `${series.name}: ${series.textAt(each) ?? 'no mark'}`));
    if (series.role === 'source') {
        x.push(plotTime(now));
        y.push(heightAt(series, series.now));
        hovertext.push(
            `<b>now</b><br>${timeText(now)}<br>${wrapped(`${series.name}: ${series.textAt(series.now) ?? 'no mark'}`)}`,
        );
    }
    // One run alone, or one after a reset, has no line to it yet: a dot shows that it is there.
    const few = shown.length <= 60;
    return {
        type: 'scatter',
        mode: few ? 'lines+markers' : 'lines',
        x,
        y,
        hovertext,
        name: plain(series.name),
        line: { ...style, width: 2, shape: 'hv' },
        marker: {
            size: x.map((_, place) => (place < shown.length && job.what[shown[place]] === 'SUCCEEDED' ? 6 : 0)),
            color: style.color,
            opacity: 1,
            line: { width: 0 },
        },
        connectgaps: series.role === 'value',
        ...hovering(theme),
    };
}

// Where a point is drawn. Only instants follow the zone: a date or a time without zone stays as it was recorded.
function heightAt(series, index) {
    const y = series.y[index];
    return y !== null && series.isTime ? plotTime(y / 1000, zone.utc || series.kind !== 'timestamp') : y;
}

// Where a mark stood when an event left it without one: at the last place it had.
function heldAt(series, index) {
    for (let each = index; each >= 0; each -= 1) if (series.y[each] !== null) return each;
    return null;
}

function markEvents(job, series, theme) {
    const at = (wanted) =>
        wanted
            .filter((each) => job.at[each] !== null && heldAt(series, each) !== null)
            .map((each) => ({ each, held: heldAt(series, each) }));
    const marker = (points, look) => ({
        type: 'scatter',
        mode: 'markers',
        cliponaxis: false,
        x: points.map(({ each }) => plotTime(job.at[each])),
        y: points.map(({ held }) => heightAt(series, held)),
        hovertext: points.map(({ each }) =>
            tooltip(job, each, `${series.name}: ${series.textAt(each) ?? 'no mark: the next run loads everything'}`),
        ),
        marker: look,
        ...hovering(theme),
    });
    const moved = at(job.changes);
    return [
        marker(at(thinned(job, job.failures)), failureMarker(theme, areMany(job))),
        marker(moved, {
            symbol: moved.map(({ each }) => SYMBOLS[job.what[each]] ?? 'circle'),
            size: 11,
            color: theme.operator,
            line: { color: theme.paper, width: 1.5 },
        }),
    ].filter((trace) => trace.x.length);
}

function failureMarker(theme, many) {
    // Hundreds of crosses would hide what they mark.
    return many
        ? { symbol: 'line-ns', size: 7, opacity: 0.55, color: theme.failure, line: { color: theme.failure, width: 1 } }
        : { symbol: 'x-thin', size: 8, color: theme.failure, line: { color: theme.failure, width: 2 } };
}

function areMany(job) {
    return job.failures.length > 60;
}

// Thousands of markers would lie upon each other and make the page slow: one for each place on screen is enough.
function thinned(job, wanted) {
    if (wanted.length <= MOST_MARKERS) return wanted;
    const first = job.at[wanted[0]];
    const width = (job.at[wanted[wanted.length - 1]] - first) / MOST_MARKERS;
    let last = -1;
    return wanted.filter((each) => {
        const place = Math.floor((job.at[each] - first) / width);
        const isNew = place !== last;
        last = place;
        return isNew;
    });
}

// Half of what lies between two runs on screen, as they usually follow each other.
function stemWidth(job, now) {
    const times = job.runs.map((each) => job.at[each]).filter((each) => each !== null);
    const gaps = times.slice(1).map((each, place) => each - times[place]);
    const usual = gaps.sort((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? Infinity;
    const room = Math.min(1050, window.innerWidth - 150);
    return Math.max(1, Math.min(9, (0.5 * room * usual) / Math.max(1, now - times[0])));
}

// Bars that are as wide as they should look, not as wide as the shortest time between two runs.
function stems(job, heights, tell, theme, now, unit = 1) {
    const drawn = job.runs.filter((each) => job.at[each] !== null && heights[each] !== null);
    const width = stemWidth(job, now);
    const apart = job.runs.length <= MANY;
    const stem = (wanted, color) => {
        const x = [];
        const y = [];
        const hovertext = [];
        for (const each of wanted) {
            const when = plotTime(job.at[each]);
            const told = tooltip(job, each, tell(each));
            // Each gap costs an element of the page: thousands of stems are one line that comes back to the ground.
            x.push(when, when, apart ? null : when);
            y.push(0, heights[each] / unit, apart ? null : 0);
            hovertext.push(told, told, told);
        }
        return {
            type: 'scatter',
            mode: 'lines',
            x,
            y,
            hovertext,
            line: { color, width },
            connectgaps: false,
            ...hovering(theme),
        };
    };
    const failed = drawn.filter((each) => job.what[each] === 'FAILED');
    const failures = thinned(
        job,
        job.failures.filter((each) => job.at[each] !== null),
    );
    return [
        stem(apart ? drawn.filter((each) => job.what[each] !== 'FAILED') : drawn, theme.bar),
        // Among thousands they would be a second ground line: there the ticks say it.
        stem(apart ? failed : [], theme.failure),
        {
            type: 'scatter',
            mode: 'markers',
            cliponaxis: false,
            marker: failureMarker(theme, areMany(job)),
            ...hovering(theme),
            x: failures.map((each) => plotTime(job.at[each])),
            y: failures.map((each) => (areMany(job) ? 0 : (heights[each] ?? 0) / unit)),
            hovertext: failures.map((each) => tooltip(job, each, tell(each))),
        },
    ].filter((trace) => trace.x.length);
}

// Behind the clock: a mark falls behind as time goes by, and each run that moves it brings it nearer.
function lagLine(job, series, theme, style, now, unit) {
    const x = [];
    const y = [];
    const hovertext = [];
    const sawtooth = job.count <= MANY;
    const point = (ms, lag, told) => {
        x.push(plotTime(ms));
        y.push(lag === null ? null : lag / unit.size);
        hovertext.push(told);
    };
    let last = null;
    const shown = indices(job.count).filter(
        (each) => job.at[each] !== null && (series.role === 'source' || series.y[each] !== null),
    );
    for (const each of shown) {
        const before = last === null ? null : behind(series, last, job.at[each]);
        const lag = behind(series, each, job.at[each]);
        const told = (text) => tooltip(job, each, `${series.name}: ${text}`);
        if (sawtooth && before !== null) point(job.at[each], before, told(`${durationText(before)} behind, before`));
        point(job.at[each], lag, told(lag === null ? 'no mark' : `${durationText(lag)} behind`));
        last = each;
    }
    const lag = behind(series, latestIndex(series), now);
    if (lag !== null)
        point(now, lag, `<b>now</b><br>${timeText(now)}<br>${wrapped(`${series.name}: ${durationText(lag)} behind`)}`);
    return {
        type: 'scatter',
        mode: 'lines',
        x,
        y,
        hovertext,
        line: { ...style, width: sawtooth ? 1.5 : 1 },
        connectgaps: false,
        ...hovering(theme),
    };
}

function lagFailures(job, series, theme, unit) {
    const failed = thinned(job, job.failures).filter((each) => job.at[each] !== null && heldAt(series, each) !== null);
    const lag = (each) => behind(series, heldAt(series, each), job.at[each]);
    return {
        type: 'scatter',
        mode: 'markers',
        cliponaxis: false,
        marker: failureMarker(theme, areMany(job)),
        ...hovering(theme),
        x: failed.map((each) => plotTime(job.at[each])),
        y: failed.map((each) => lag(each) / unit.size),
        hovertext: failed.map((each) => tooltip(job, each, `${series.name}: ${durationText(lag(each))} behind`)),
    };
}
