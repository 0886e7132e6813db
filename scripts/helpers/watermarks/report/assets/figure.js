// Draws a job's charts as one figure over one time axis, when it comes into view and again when colours or zone change.

const GAP = 48;
const MARGIN = { top: 30, bottom: 36, left: 56, right: 14 };
const BUTTONS = ['select2d', 'lasso2d', 'autoScale2d', 'zoomIn2d', 'zoomOut2d'];

function makeFigure(job, now) {
    const plot = element('div', { class: 'chart', role: 'img' });
    const legend = element('ul', { class: 'legend', 'aria-label': 'Legend' });
    const figure = element('figure', { class: 'charts' }, legend, plot);
    const drawn = { job, figure, plot, isDrawn: false };
    drawn.height = () => heightOf(panelsOf(job, themeNow(), now));
    plot.style.minHeight = `${drawn.height()}px`;
    drawn.draw = () => {
        const theme = themeNow();
        const panels = panelsOf(job, theme, now);
        plot.setAttribute('aria-label', summary(job, now));
        legend.replaceChildren(...legendEntries(job, theme));
        drawn.isDrawn = true;
        Plotly.react(plot, tracesOf(panels), layoutOf(job, panels, theme, now), {
            displaylogo: false,
            responsive: true,
            modeBarButtonsToRemove: BUTTONS,
            toImageButtonOptions: { filename: 'watermarks', scale: 2 },
        });
    };
    return drawn;
}

function summary(job, now) {
    const marks = clocksOf(job).map((each) => `${each.name} at ${each.textAt(latestIndex(each)) ?? 'no mark'}`);
    const age = largestAge(job, now);
    const runs = `${countText(job.runs.length, 'run')}, ${numberText(job.failures.length)} failed`;
    return [
        `Charts of job ${job.name} over time: ${runs}, ${countText(job.changes.length, "operator's change")}.`,
        marks.length ? `It stands with ${marks.join(', ')}.` : '',
        age === null ? '' : `That is ${durationText(age)} behind the clock.`,
        'The table below has all of it.',
    ]
        .filter(Boolean)
        .join(' ');
}

function heightOf(panels) {
    return panels.reduce((sum, panel) => sum + panel.height + GAP, 0) - GAP + MARGIN.top + MARGIN.bottom;
}

function tracesOf(panels) {
    return panels.flatMap((panel, place) =>
        panel.traces().map((trace) => ({
            ...trace,
            xaxis: 'x',
            yaxis: place ? `y${place + 1}` : 'y',
            showlegend: false,
        })),
    );
}

function layoutOf(job, panels, theme, now) {
    const height = heightOf(panels);
    const inner = height - MARGIN.top - MARGIN.bottom;
    const narrow = window.innerWidth < 600;
    const layout = {
        height,
        autosize: true,
        hovermode: 'closest',
        hoverdistance: 30,
        dragmode: 'zoom',
        annotations: [],
        margin: { t: MARGIN.top, b: MARGIN.bottom, l: MARGIN.left, r: MARGIN.right },
        paper_bgcolor: 'rgba(0,0,0,0)',
        plot_bgcolor: 'rgba(0,0,0,0)',
        font: { family: theme.font, size: 12, color: theme.muted },
        modebar: { bgcolor: 'rgba(0,0,0,0)', color: theme.muted, activecolor: theme.ink, orientation: 'h' },
        xaxis: {
            type: 'date',
            range: timeRange(job, now),
            anchor: panels.length > 1 ? `y${panels.length}` : 'y',
            nticks: narrow ? 4 : 9,
            gridcolor: theme.grid,
            linecolor: theme.grid,
            showline: true,
            zeroline: false,
            showspikes: true,
            spikemode: 'across',
            spikesnap: 'hovered data',
            spikethickness: 1,
            spikedash: 'solid',
            spikecolor: theme.muted,
        },
    };
    let top = inner;
    panels.forEach((panel, place) => {
        const domain = [(top - panel.height) / inner, top / inner];
        const { atLeast, cut, ...axis } = panel.axis;
        layout[place ? `yaxis${place + 1}` : 'yaxis'] = {
            ...axis,
            domain: domain.map((each) => Math.max(0, Math.min(1, each))),
            anchor: 'x',
            automargin: true,
            gridcolor: theme.grid,
            zeroline: false,
            fixedrange: true,
            ticklabelstandoff: 4,
            ...(atLeast ? { autorangeoptions: { include: atLeast } } : {}),
            ...(cut ? { range: [0, cut] } : {}),
        };
        const unit = panel.unit ? `  <span style="font-size:11px">${plain(panel.unit)}</span>` : '';
        layout.annotations.push({
            xref: 'paper',
            yref: 'paper',
            x: 0,
            y: domain[1],
            xanchor: 'left',
            yanchor: 'bottom',
            yshift: 6,
            showarrow: false,
            align: 'left',
            text: `<b>${plain(panel.title)}</b>${unit}`,
            font: { size: 12.5, color: theme.ink },
        });
        top -= panel.height + GAP;
    });
    return layout;
}

// From the first event to now, with room at both ends for the marks that stand there.
function timeRange(job, now) {
    const known = job.at.filter((each) => each !== null);
    const first = known.length ? known[0] : now - HOUR;
    const last = Math.max(now, known.length ? known[known.length - 1] : now);
    const room = Math.max((last - first) * 0.015, 30 * SECOND);
    return [plotTime(first - room), plotTime(last + room)];
}

function legendEntries(job, theme) {
    const entries = [];
    if (job.series.filter((each) => each.isTime && hasPoints(each)).length > 1) {
        job.series.forEach((series, place) => {
            if (!series.isTime || !hasPoints(series)) return;
            const { color, dash } = lineStyle(theme, place);
            const dashes = { solid: null, dash: '6 3', dot: '2 3' }[dash];
            const line = drawing('line', {
                x1: 0,
                x2: 22,
                y1: 6,
                y2: 6,
                stroke: color,
                'stroke-width': 3,
                'stroke-dasharray': dashes,
            });
            entries.push(
                element(
                    'li',
                    {},
                    drawing('svg', { width: 22, height: 12, 'aria-hidden': 'true' }, line),
                    isolated(series.name),
                ),
            );
        });
    }
    const glyph = (what, color, words) => {
        const shown = element('span', { class: 'glyph', 'aria-hidden': 'true' }, GLYPHS[what] ?? '●');
        shown.style.color = color;
        entries.push(element('li', {}, shown, words));
    };
    if (job.failures.length) glyph('FAILED', theme.failure, 'failed run');
    for (const what of new Set(job.changes.map((each) => job.what[each])))
        glyph(what, theme.operator, `${what} by an operator`);
    return entries;
}
