/** The schedules: when each fires next, and what became of its last job. */

import { segment } from './api.js';
import { departmentLink } from './department-actions.js';
import { h } from './dom.js';
import { LIMITS } from './limits.js';
import { at, foreign, shortId, ticking } from './parts.js';
import { questionScreen } from './screen.js';
import { badge } from './states.js';
import { table } from './table.js';

/** @returns {Promise<() => void>} Ends the screen. */
export async function show(main, app) {
  const screen = questionScreen(main, {
    title: 'Schedules',
    ask: () => app.api.get('schedules'),
    body: (page) =>
      table({
        caption: 'Schedules',
        items: page.schedules,
        key: (schedule) => schedule.name,
        limit: LIMITS.listRows,
        empty: 'There are no schedules. They are named in teller.yaml.',
        columns: columns(app),
      }),
  });
  return screen.end;
}

function columns(app) {
  return [
    { title: 'Schedule', isHeader: true, cell: (schedule) => foreign(schedule.name) },
    { title: 'Fires', cell: (schedule) => [h('code', null, schedule.cron), h('small', null, schedule.time_zone)] },
    { title: 'Kind', cell: (schedule) => foreign(schedule.kind) },
    {
      title: 'Department',
      cell: (schedule) => (schedule.department ? departmentLink(app, schedule.department) : 'that of the kind'),
    },
    {
      title: 'Next',
      cell: (schedule) =>
        Number.isFinite(schedule.next_ms)
          ? [at(schedule.next_ms), h('small', null, ticking('until', schedule.next_ms))]
          : 'never',
    },
    { title: 'Last', cell: (schedule) => at(schedule.last_ms) },
    {
      title: 'Its job',
      cell: (schedule) =>
        schedule.last_job
          ? [
              app.link(`/jobs/${segment(schedule.last_job)}`, shortId(schedule.last_job)),
              ' ',
              schedule.last_state ? badge(schedule.last_state) : null,
            ]
          : '–',
    },
  ];
}
