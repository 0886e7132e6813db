// Times, durations and numbers as text. Times follow the switch between the viewer's zone and UTC.

const zone = { utc: false };
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOTHING = '–';

// Milliseconds whose UTC wall clock is the one to show.
function wallClock(ms, utc = zone.utc) {
    return utc ? ms : ms - new Date(ms).getTimezoneOffset() * MINUTE;
}

function isoText(wall) {
    return new Date(wall).toISOString().replace('T', ' ');
}

// A time as plotly.js shows it unchanged: numbers it would shift to the viewer's zone. It has the years 1 to 9999 only.
function plotTime(ms, utc = zone.utc) {
    const text = new Date(wallClock(ms, utc)).toISOString();
    return text.length === 24 ? text.slice(0, -1) : null;
}

function timeText(ms) {
    return ms === null ? NOTHING : isoText(wallClock(ms)).slice(0, -5);
}

// A mark that is a time, to the microsecond: its fraction is shown only where it has one.
function markTimeText(micros, kind) {
    if (kind === 'date') return isoText(micros / 1000).slice(0, -14);
    const second = Math.floor(micros / 1e6);
    const fraction = micros - second * 1e6;
    const text = isoText(wallClock(second * SECOND, zone.utc || kind === 'timestamp_ntz')).slice(0, -5);
    return fraction ? `${text}.${String(fraction).padStart(6, '0')}` : text;
}

// `3 min 20 s`: the two largest units, which is as much as anybody reads.
function durationText(ms) {
    if (ms === null) return NOTHING;
    if (ms < 0) return `−${durationText(-ms)}`;
    if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(ms < SECOND ? 2 : 1)} s`;
    const steps = [
        [DAY, 'd', HOUR, 'h'],
        [HOUR, 'h', MINUTE, 'min'],
        [MINUTE, 'min', SECOND, 's'],
    ];
    for (const [size, unit, smaller, smallerUnit] of steps) {
        // Rounded first: 59.7 s are a minute, not 60 s.
        const rounded = Math.round(ms / smaller) * smaller;
        if (rounded < size) continue;
        const rest = Math.round((rounded % size) / smaller);
        const large = Math.floor(rounded / size);
        return rest && large < 100
            ? `${numberText(large)} ${unit} ${rest} ${smallerUnit}`
            : `${numberText(large)} ${unit}`;
    }
    return `${Math.round(ms / SECOND)} s`;
}

// The unit for an axis on which this is the largest duration.
function durationUnit(largest) {
    const fitting = [
        [DAY, 'days', 2],
        [HOUR, 'hours', 2],
        [MINUTE, 'minutes', 3],
    ].find(([size, , times]) => largest >= times * size);
    return fitting ? { size: fitting[0], name: fitting[1] } : { size: SECOND, name: 'seconds' };
}

// All digits, in groups of thousands. Where JavaScript itself would write an exponent, so does this.
function numberText(number) {
    if (number === null) return NOTHING;
    const text = String(number);
    if (text.includes('e')) return text;
    const [whole, fraction] = text.split('.');
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',').replace('-', '−');
    return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

function countText(number, thing) {
    return `${numberText(number)} ${thing}${number === 1 ? '' : 's'}`;
}

function agoText(ms) {
    return ms < 0 ? `${durationText(-ms)} ahead` : `${durationText(ms)} ago`;
}

function shortened(text, length) {
    const characters = Array.from(text);
    return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}

// plotly.js understands a little HTML, entities, and formulas between dollars: here they are text and nothing else.
const MEANINGFUL = { '&': '&amp;', '<': '&lt;', '>': '&gt;', $: '&#36;' };

function plain(text) {
    return text.replace(/[&<>$]/g, (found) => MEANINGFUL[found]).replace(/[\r\n\u2028\u2029]+/g, ' ');
}

// In lines of readable length, for a tooltip.
function wrapped(text, width = 64, lines = 5) {
    const characters = Array.from(text);
    const found = [];
    for (let at = 0; at < characters.length && found.length < lines; at += width) {
        found.push(plain(characters.slice(at, at + width).join('')));
    }
    return found.join('<br>') + (characters.length > width * lines ? '…' : '');
}
