/** The columns of every list of jobs. */

import { h } from './dom.js';
import { at, foreign, shortId, ticking } from './parts.js';
import { badge, holdWords } from './states.js';
import { duration, number } from './words.js';

/** The columns, in their order. */
export function jobColumns(app) {
  return [
    { title: 'Job', isHeader: true, cell: (job) => app.link(`/jobs/${encodeURIComponent(job.id)}`, shortId(job.id)) },
    { title: 'Kind', cell: (job) => [foreign(job.kind), job.step ? h('small', null, foreign(job.step)) : null] },
    {
      title: 'Department',
      cell: (job) => app.link(`/departments/${encodeURIComponent(job.department)}`, foreign(job.department)),
    },
    { title: 'State', cell: (job) => stateCell(job) },
    { title: 'Key', cell: (job) => (job.key ? foreign(job.key) : '–') },
    { title: 'Attempt', className: 'number', cell: (job) => `${number(job.attempt)} of ${number(job.attempts)}` },
    { title: 'Accepted', cell: (job) => at(job.accepted_ms) },
    { title: 'Waited', className: 'number', cell: waited },
    { title: 'Ran', className: 'number', cell: (job) => duration(job.run_ms) },
  ];
}

function waited(job) {
  if (Number.isFinite(job.wait_ms)) return duration(job.wait_ms);
  return job.state === 'held' || job.state === 'queued' ? ticking('lasting', job.accepted_ms) : '–';
}

function stateCell(job) {
  const error = job.error ? h('small', null, foreign(job.error.error), ': ', foreign(job.error.message, 'cut')) : null;
  const settled = job.replayed_as ? 'replayed' : job.dropped ? 'dropped' : job.handled ? 'handled' : null;
  return [badge(job.state, settled ?? (job.state === 'held' && job.hold ? `(${holdWords(job.hold)})` : null)), error];
}
