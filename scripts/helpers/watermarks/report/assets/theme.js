// Colours come from the style sheet, so that light, dark and paper are decided in one place.

const SYMBOLS = { rewind: 'triangle-left', reset: 'square', set: 'diamond', forget: 'hexagon2' };
const GLYPHS = { FAILED: '✕', rewind: '◀', reset: '■', set: '◆', forget: '⬢' };

function themeNow() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    return {
        ink: colour('ink'),
        muted: colour('muted'),
        grid: colour('grid'),
        paper: colour('paper'),
        bar: colour('bar'),
        failure: colour('failure'),
        operator: colour('operator'),
        raised: colour('raised'),
        lines: [1, 2, 3, 4, 5, 6].map((number) => colour(`line-${number}`)),
        font: style.getPropertyValue('--font').trim(),
    };
}

// Six colours that the colour-blind can tell apart, then the same ones dashed and dotted.
function lineStyle(theme, place) {
    const dashes = ['solid', 'dash', 'dot'];
    const { length } = theme.lines;
    return { color: theme.lines[place % length], dash: dashes[Math.floor(place / length) % dashes.length] };
}
