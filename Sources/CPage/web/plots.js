/** Plots of durations: a row for each name. */

import { h, s } from './dom.js';
import { LIMITS } from './limits.js';
import { duration, number } from './words.js';

const [rowHeight, axisHeight] = [26, 24];
/** The room behind an axis, for half a label, and behind bars, for a duration. */
const [behindAxis, behindBars] = [24, 80];
const mark = 5;
/** The room for a plot, and that for the names in it, on wide screens and on narrow ones. */
const [widest, narrowest, narrow] = [640, 260, 480];

function room() {
  const main = document.getElementById('main');
  const { paddingLeft, paddingRight } = getComputedStyle(main);
  const found = main.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  const width = Math.max(narrowest, Math.min(widest, found));
  return width < narrow ? { width, left: 84, longestName: 11 } : { width, left: 130, longestName: 18 };
}

/**
 * Ranges from the median to the longest time, on one logarithmic axis.
 * @param {string} label
 * @param {Array<{name: string, p50: number, p90: number, p99: number, max: number}>} rows - In milliseconds.
 */
export function rangePlot(label, rows) {
  if (rows.length === 0) return null;
  const shown = rows.slice(0, LIMITS.listRows);
  const most = Math.max(10, ...shown.map((row) => row.max));
  const decades = Math.ceil(Math.log10(most));
  const place = room();
  const { width, left } = place;
  const x = (ms) => left + (Math.log10(Math.max(1, ms)) / decades) * (width - left - behindAxis);
  const height = shown.length * rowHeight + axisHeight;
  return h(
    'figure',
    { class: 'plot', key: label },
    frame(
      label,
      width,
      words(label, shown, (row) => `median ${duration(row.p50)}, longest ${duration(row.max)}`),
      height,
      axis(decades, x, height, width < narrow ? 2 : 1),
      shown.map((row, index) => range(row, index * rowHeight + rowHeight / 2, x, place)),
    ),
    h(
      'figcaption',
      null,
      'Thick: from the median to 90 %. Thin: to 99 %. Dot: the longest. Each line is ten times the one before.',
    ),
  );
}

/**
 * Bars from zero, each with its duration behind it.
 * @param {string} label
 * @param {Array<{name: string, value: number, isWhole?: boolean}>} rows - In milliseconds. `isWhole`: it is drawn apart.
 */
export function barPlot(label, rows) {
  const shown = rows.slice(0, LIMITS.listRows);
  const most = Math.max(1, ...shown.map((row) => row.value));
  const place = room();
  const { width, left } = place;
  const bar = ({ name, value, isWhole = false }, index) => {
    const y = index * rowHeight + rowHeight / 2;
    const length = Math.max(1, (value / most) * (width - left - behindBars));
    return s(
      'g',
      { key: `${index} ${name}` },
      nameText(name, y, place),
      s('rect', { class: isWhole ? 'bar whole' : 'bar', x: left, y: y - mark, width: length, height: 2 * mark }),
      s('text', { class: 'tick', x: left + length + 6, y: y + 4 }, duration(value)),
    );
  };
  return h(
    'figure',
    { class: 'plot', key: label },
    frame(
      label,
      width,
      words(label, shown, (row) => duration(row.value)),
      shown.length * rowHeight,
      shown.map(bar),
    ),
  );
}

function range({ name, p50, p90, p99, max }, y, x, place) {
  return s(
    'g',
    { key: name },
    nameText(name, y, place),
    s('line', { class: 'thin', x1: x(p50), x2: x(p99), y1: y, y2: y }),
    s('rect', { class: 'thick', x: x(p50), y: y - mark, width: Math.max(2, x(p90) - x(p50)), height: 2 * mark }),
    s('circle', { class: 'longest', cx: x(max), cy: y, r: 3.5 }),
    s(
      'title',
      null,
      `${name}: median ${duration(p50)}, 90 % ${duration(p90)}, 99 % ${duration(p99)}, longest ${duration(max)}`,
    ),
  );
}

/** `every`: so many lines have one label, where there is little room. */
function axis(decades, x, height, every) {
  return Array.from({ length: decades + 1 }, (_, decade) => {
    const ms = 10 ** decade;
    return s(
      'g',
      { key: `decade ${decade}` },
      s('line', { class: 'grid', x1: x(ms), x2: x(ms), y1: 0, y2: height - axisHeight }),
      s(
        'text',
        { class: 'tick', x: x(ms), y: height - 6, 'text-anchor': 'middle' },
        decade % every > 0 ? '' : ms < 1000 ? `${ms} ms` : `${number(ms / 1000)} s`,
      ),
    );
  });
}

/** The label in words, for those who do not see the plot. */
function words(label, rows, of) {
  return `${label}: ${rows.map((row) => `${row.name} ${of(row)}`).join('; ')}`;
}

function frame(label, width, description, height, ...children) {
  return h(
    'div',
    { class: 'scroll', role: 'region', 'aria-label': label, tabindex: 0 },
    s('svg', { role: 'img', 'aria-label': description, viewBox: `0 0 ${width} ${height}`, width, height }, children),
  );
}

function nameText(name, y, { left, longestName }) {
  const short = name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name;
  return s('text', { class: 'name', x: left - 10, y: y + 4, 'text-anchor': 'end' }, short);
}
