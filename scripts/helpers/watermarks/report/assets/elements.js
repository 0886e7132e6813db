// Makes elements. Text is always a text node: nothing from the table is ever parsed as HTML.

const SVG = 'http://www.w3.org/2000/svg';

function element(name, attributes = {}, ...children) {
    return filled(document.createElement(name), attributes, children);
}

function drawing(name, attributes = {}, ...children) {
    return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(made, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (name === 'onclick' || name === 'oninput') made.addEventListener(name.slice(2), value);
        else if (value !== null && value !== undefined && value !== false)
            made.setAttribute(name, value === true ? '' : value);
    }
    made.append(...children.filter((each) => each !== null));
    return made;
}

const STATUS_WORDS = {
    SUCCEEDED: 'succeeded',
    FAILED: 'failed',
    RUNNING: 'running',
    STALLED: 'stalled',
    NO_RUN: 'no run yet',
};

function statusWord(what) {
    return STATUS_WORDS[what] ?? what;
}

function badge(what) {
    return element('span', { class: 'badge', 'data-what': what }, statusWord(what));
}

// A time that changes with the zone switch.
function moment(ms) {
    if (ms === null) return NOTHING;
    return element('time', { datetime: new Date(ms).toISOString(), 'data-ms': ms }, timeText(ms));
}

// Names and ids may be written from right to left; what stands around them is not.
function isolated(text, attributes = {}) {
    return element('bdi', attributes, text);
}
