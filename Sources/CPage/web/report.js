/** The report: how long jobs waited and ran, and how close that is to the shortest possible time. */

import { departmentLink } from './department-actions.js';
import { h } from './dom.js';
import { LIMITS } from './limits.js';
import { at, section } from './parts.js';
import { barPlot, rangePlot } from './plots.js';
import { questionScreen } from './screen.js';
import { table } from './table.js';
import { duration, number } from './words.js';

const hour = 3_600_000;
const spans = [
  ['1 h', hour],
  ['24 h', 24 * hour],
  ['7 days', 7 * 24 * hour],
  ['All', Infinity],
];

/** @returns {Promise<() => void>} Ends the screen. */
export async function show(main, app) {
  const span = spans.find(([title]) => title === app.query.span) ?? spans[1];
  const department = app.query.department ?? null;
  const ask = () =>
    app.api.get('report', {
      department,
      since_ms: Math.max(0, Math.floor(app.clock.now() - span[1])),
    });
  const screen = questionScreen(main, {
    title: 'Report',
    ask,
    pause: null,
    above: [choices(app, span, department)],
    body: (report) => body(app, report),
  });
  return screen.end;
}

function choices(app, [chosen], department) {
  return h(
    'nav',
    { class: 'choices', 'aria-label': 'Time of the report' },
    'Ended within ',
    spans.map(([title]) => [
      app.link('/report', title, { span: title, department }, { 'aria-current': title === chosen ? 'true' : null }),
      ' ',
    ]),
    department ? [` · only ${department} `, app.link('/report', 'all departments', { span: chosen })] : null,
  );
}

function body(app, report) {
  if (report.lines.length === 0) return h('p', { class: 'empty' }, 'No job has ended in this time.');
  return [
    h(
      'p',
      { class: 'lead', key: 'lead' },
      'From ',
      at(report.from_ms),
      ' until ',
      at(report.until_ms),
      ': ',
      h('strong', null, duration(report.until_ms - report.from_ms)),
      report.truncated ? '. There are more jobs: only the latest are counted.' : '.',
    ),
    section('How busy the tellers were', 'outcomes', outcomes(app, report)),
    section(
      'Waits',
      'waits',
      percentiles(app, report, 'waited_ms', 'Waits'),
      rangePlot('Waits by department', plotRows(report, 'waited_ms')),
    ),
    section(
      'Runs',
      'runs',
      percentiles(app, report, 'ran_ms', 'Runs'),
      rangePlot('Runs by department', plotRows(report, 'ran_ms')),
    ),
  ];
}

function outcomes(app, report) {
  const makespan = report.until_ms - report.from_ms;
  const ideals = report.lines
    .map((line) => ({ name: line.department, value: idealOf(app, line) }))
    .filter((row) => row.value > 0);
  const ideal = Math.max(0, ...ideals.map((row) => row.value));
  return [
    h(
      'p',
      { key: 'ratio' },
      `Makespan ${duration(makespan)}, ideal ${duration(ideal)}`,
      ideal > 0 ? `, ratio ${(makespan / ideal).toFixed(2)}.` : '.',
    ),
    barPlot('Makespan beside the ideal of each department', [
      { name: 'makespan', value: makespan, isWhole: true },
      ...ideals,
    ]),
    table({
      caption: 'Outcomes',
      items: report.lines,
      key: (line) => line.department,
      limit: LIMITS.listRows,
      empty: '',
      columns: [
        { title: 'Department', isHeader: true, cell: (line) => departmentLink(app, line.department) },
        { title: 'Succeeded', className: 'number', cell: (line) => number(line.succeeded) },
        { title: 'Failed', className: 'number', cell: (line) => number(line.failed) },
        { title: 'Cancelled', className: 'number', cell: (line) => number(line.cancelled) },
        { title: 'Retries', className: 'number', cell: (line) => number(line.retries) },
        { title: 'Tellers', className: 'number', cell: (line) => number(tellersOf(app, line)) },
        { title: 'Ideal', className: 'number', cell: (line) => duration(idealOf(app, line)) },
      ],
    }),
    h(
      'p',
      { class: 'soft', key: 'ideal' },
      'The ideal of a department: its runs on the tellers of now, no teller idle, and no run cut in pieces. ' +
        'The makespan: from the first acceptance to the last end. The ratio is that to the largest ideal.',
    ),
  ];
}

function tellersOf(app, line) {
  return app.live.department(line.department)?.status.tellers ?? NaN;
}

function idealOf(app, line) {
  const tellers = tellersOf(app, line);
  if (!(tellers > 0) || !line.ran_ms) return NaN;
  return Math.max(line.ran_ms.sum / tellers, line.ran_ms.max);
}

function percentiles(app, report, name, caption) {
  const column = (title, member) => ({ title, className: 'number', cell: (line) => duration(line[name]?.[member]) });
  return table({
    caption,
    items: report.lines,
    key: (line) => line.department,
    limit: LIMITS.listRows,
    empty: '',
    columns: [
      { title: 'Department', isHeader: true, cell: (line) => departmentLink(app, line.department) },
      column('Median', 'p50'),
      column('90 %', 'p90'),
      column('99 %', 'p99'),
      column('Longest', 'max'),
    ],
  });
}

function plotRows(report, name) {
  return report.lines.filter((line) => line[name]).map((line) => ({ name: line.department, ...line[name] }));
}
