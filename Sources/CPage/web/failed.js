/** Failed jobs that nobody has looked after: by department, kind and error. */

import { segment } from './api.js';
import { departmentLink } from './department-actions.js';
import { h } from './dom.js';
import { LIMITS } from './limits.js';
import { actOnMatching } from './many.js';
import { foreign, shortId, ticking } from './parts.js';
import { questionScreen } from './screen.js';
import { table } from './table.js';
import { count, number } from './words.js';

/** @returns {Promise<() => void>} Ends the screen. */
export async function show(main, app) {
  const department = app.query.department ?? null;
  const screen = questionScreen(main, {
    title: 'Failed',
    ask: () => failures(app, department),
    beside: () =>
      department ? h('p', null, 'Only ', foreign(department), '. ', app.link('/failed', 'All departments')) : null,
    body: (counts) => list(app, counts, () => screen.source.refresh()),
  });
  const off = app.live.on('events', (events) => {
    if (events.some((event) => event.event === 'failed')) screen.source.refreshSoon(LIMITS.jobPause);
  });
  return () => {
    off();
    screen.end();
  };
}

/** One answer counts a part of the jobs; the parts are added up. */
async function failures(app, department) {
  const lines = new Map();
  let before = null;
  let pages = 0;
  do {
    const part = await app.api.get('failures', { department, before });
    for (const line of part.lines) add(lines, line);
    before = part.next ?? null;
    pages += 1;
  } while (before !== null && pages < LIMITS.failurePages);
  return { lines: [...lines.values()].sort((one, other) => other.jobs - one.jobs), isPartial: before !== null };
}

function keyOf(line) {
  return JSON.stringify([line.department, line.kind, line.error]);
}

function add(lines, line) {
  const sum = lines.get(keyOf(line));
  if (!sum) return lines.set(keyOf(line), { ...line });
  sum.jobs += line.jobs;
  if (line.newest_ms > sum.newest_ms) [sum.newest_ms, sum.example] = [line.newest_ms, line.example];
}

function list(app, { lines, isPartial }, changed) {
  const all = lines.reduce((sum, line) => sum + line.jobs, 0);
  return [
    h(
      'p',
      { class: 'lead', key: 'lead' },
      all === 0
        ? 'No failed job is to be looked at.'
        : `${isPartial ? 'At least ' : ''}${count(all, 'failed job')} to be looked at: replay or drop ${all === 1 ? 'it' : 'them'}.`,
    ),
    table({
      caption: 'Failed jobs by error and kind',
      items: lines,
      key: keyOf,
      limit: LIMITS.listRows,
      empty: 'No failed jobs.',
      columns: [
        { title: 'Error', isHeader: true, cell: (line) => app.link('/jobs', foreign(line.error), filterOf(line)) },
        { title: 'Kind', cell: (line) => foreign(line.kind) },
        { title: 'Department', cell: (line) => departmentLink(app, line.department) },
        { title: 'Jobs', className: 'number', cell: (line) => number(line.jobs) },
        { title: 'Newest', cell: (line) => ticking('ago', line.newest_ms) },
        { title: 'Example', cell: (line) => app.link(`/jobs/${segment(line.example)}`, shortId(line.example)) },
        app.actions.areAllowed
          ? { title: '', label: 'Actions', className: 'acts', cell: (line) => buttons(app, line, changed) }
          : null,
      ],
    }),
  ];
}

function filterOf(line) {
  return { department: line.department, kind: line.kind, error: line.error, unsettled: 'true' };
}

function buttons(app, line, changed) {
  const act = (action) => async () => {
    if (await actOnMatching(app, action, filterOf(line))) changed();
  };
  return [
    app.actions.button('Replay …', act('replay'), { key: `replay ${keyOf(line)}` }),
    app.actions.button('Drop …', act('drop'), { key: `drop ${keyOf(line)}`, className: 'danger' }),
  ];
}
