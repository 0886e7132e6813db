// Reads the page's data: columns become arrays again, and a point of a series its exact text.

function unpacked(column) {
    if (Array.isArray(column)) return column;
    if ('none' in column) return new Array(column.none).fill(null);
    let last = 0;
    return column.differences.map((difference) => (difference === null ? null : (last += difference)));
}

function readJob(raw, index) {
    const { at, batch, took, rows, files, ...rest } = raw.events;
    const job = {
        ...raw,
        ...rest,
        index,
        at: unpacked(at),
        batch: unpacked(batch),
        took: unpacked(took),
        rows: unpacked(rows),
        files: unpacked(files),
        series: raw.series.map(readSeries),
    };
    job.count = job.at.length;
    job.runs = indices(job.count).filter((each) => isRun(job, each));
    job.failures = job.runs.filter((each) => job.what[each] === 'FAILED');
    job.changes = indices(job.count).filter((each) => !isRun(job, each));
    return job;
}

function isRun(job, index) {
    return job.what[index] === 'SUCCEEDED' || job.what[index] === 'FAILED';
}

function indices(count) {
    return Array.from({ length: count }, (_, index) => index);
}

function readSeries(raw) {
    const series = { ...raw, y: unpacked(raw.y), isTime: ['timestamp', 'timestamp_ntz', 'date'].includes(raw.kind) };
    series.textAt = (index) => {
        if (series.text?.[index] !== undefined) return series.text[index];
        const y = series.y[index];
        if (y === null) return null;
        if (series.labels) return series.labels[y];
        return series.isTime ? markTimeText(y, series.kind) : numberText(y);
    };
    series.now = series.y.length - 1;
    return series;
}

// How far a time mark was behind the clock at some time, in milliseconds; a time without zone is taken as UTC.
function behind(series, index, ms) {
    const y = series.y[index];
    return series.isTime && y !== null && ms !== null ? ms - y / 1000 : null;
}

function marksOf(job) {
    return job.series.filter((each) => each.role === 'source');
}

// The time series that say how far the job got: its sources' marks, else times that it recorded by hand.
function clocksOf(job) {
    const marks = marksOf(job).filter((each) => each.isTime);
    return marks.length ? marks : job.series.filter((each) => each.isTime);
}

// Where a series stands: of marks the job's state, of recorded values the last one.
function latestIndex(series) {
    if (series.role === 'source') return series.now;
    let index = series.now;
    while (index >= 0 && series.textAt(index) === null) index -= 1;
    return index;
}

function largestAge(job, now) {
    const ages = clocksOf(job)
        .map((each) => behind(each, latestIndex(each), now))
        .filter((each) => each !== null && !Number.isNaN(each));
    return ages.length ? Math.max(...ages) : null;
}

// Every mark and recorded value of one event: pairs of name and text.
function pointsOf(job, index) {
    const told = [];
    for (const series of job.series) {
        const text = series.textAt(index);
        if (text !== null) told.push([series.name, text]);
    }
    if (job.values[index]) told.push(['', job.values[index]]);
    return told;
}

function pointsText(job, index) {
    return pointsOf(job, index)
        .map((pair) => pair.join(' '))
        .join('\n');
}

// What an operator did, or what went wrong. In short: without the account of an AWS identity and most of a run's id.
function noteText(job, index, inShort = false) {
    if (isRun(job, index)) return job.note[index] ?? '';
    const [id, by] = [job.id[index], job.by[index] ?? 'somebody'];
    const to = job.what[index] === 'rewind' && id ? ` to ${inShort ? shortened(id, 16) : id}` : '';
    const who = inShort ? by.replace(/^arn:[\w-]+:(sts|iam)::\d*:(assumed-role|user|role)\//, '') : by;
    const why = job.note[index] ? `: ${job.note[index]}` : '';
    return `${job.what[index]}${to} by ${who}${why}`;
}
