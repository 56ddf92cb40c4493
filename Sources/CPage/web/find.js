/** The search: an id leads to its job; other words are looked for as a kind, an error and a key. */

import { segment } from './api.js';
import { departmentLink } from './department-actions.js';
import { h } from './dom.js';
import { jobColumns } from './job-columns.js';
import { LIMITS } from './limits.js';
import { foreign, head, section, shortId } from './parts.js';
import { table } from './table.js';
import { number } from './words.js';

const uuidPattern = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

/** What the page prints of jobs: `#137`, `01a223e3`, `01a223e3…032c`. */
const numberPattern = /^#([\d,]+)$/;
const partPattern = /^[0-9a-f]{8}[0-9a-f-]*((…|\.\.\.)[0-9a-f]+)?$/i;

/** Goes to what was looked for. */
export function findJob(app, text) {
  const words = text.trim();
  if (words === '') return;
  if (uuidPattern.test(words)) app.go(`/jobs/${words.toLowerCase()}`);
  else app.go('/jobs', { find: words });
}

/** Where words are looked for. Each kind has keys of its own: a key alone is looked for in the kinds that workers serve. */
function places(words, workers) {
  const number = Number(numberPattern.exec(words)?.[1].replaceAll(',', ''));
  if (number) return [['Job with this number', 'number', { before: number + 1, limit: 1 }]];
  const [kind, ...rest] = words.split(/\s+/);
  const key = rest.join(' ');
  const kinds = [...new Set(workers.flatMap((worker) => worker.kinds ?? []))].sort().slice(0, LIMITS.foundKinds);
  const keyed = kinds.map((name) => [
    ['Jobs with this key, of kind ', foreign(name)],
    `key-${name}`,
    { kind: name, key: words },
  ]);
  if (key) return [['Jobs of this kind with this key', 'key', { kind, key }], ...keyed];
  const byId = partPattern.test(words) ? [['Jobs with this part of their id', 'id', { id: words }]] : [];
  return [
    ...byId,
    ['Jobs of this kind', 'kind', { kind }],
    ['Jobs with this error', 'error', { error: kind }],
    ...keyed,
  ];
}

/** Departments, workers and plans that are named so, or whose short id it is. */
function namesakes(app, words, workers, plans) {
  const text = words.toLowerCase();
  const isMeant = (name, id) => name.toLowerCase() === text || (id && partPattern.test(words) && hasPart(id, text));
  return [
    app.live.department(words) ? ['The department ', departmentLink(app, words)] : null,
    ...workers
      .filter((one) => isMeant(one.name, one.id))
      .map((one) => ['The worker ', app.link('/workers', foreign(one.name)), ' ', shortId(one.id)]),
    ...plans
      .filter((one) => isMeant(one.name ?? '', one.id))
      .map((one) => ['The plan ', app.link(`/plans/${segment(one.name ?? one.id)}`, foreign(one.name ?? one.id))]),
  ].filter(Boolean);
}

/** Whether an id has the part that was written: its beginning, and perhaps its end. */
function hasPart(id, part) {
  const [start, end = ''] = part.split(/…|\.\.\./);
  return id.toLowerCase().startsWith(start) && id.toLowerCase().endsWith(end);
}

/** The first part of the list that has jobs. Of many that may match, a part of the list may have none that does. */
async function firstPage(app, query) {
  let page = { jobs: [], next: query.before };
  for (let part = 0; part < LIMITS.foundParts; part += 1) {
    page = await app.api.get('jobs', { limit: LIMITS.foundRows, ...query, ...(page.next ? { before: page.next } : {}) });
    if (page.jobs.length > 0 || !page.next) break;
  }
  return page;
}

/** The screen of what was found. */
export async function showFound(main, app, words) {
  // Where workers or plans are not told, all else is looked for.
  const [{ workers = [] }, { plans = [], not_started: others = [], stopped = [] }] = await Promise.all([
    app.api.get('workers').catch(() => ({})),
    app.api.get('plans').catch(() => ({})),
  ]);
  const allPlans = [...plans, ...[...others, ...stopped].map((name) => ({ name }))];
  const groups = await Promise.all(
    places(words, workers).map(async ([title, id, query]) => {
      // A word that cannot be a kind or a key is not found, and that is no problem.
      const page = await firstPage(app, query).catch((error) => {
        if (error.status === 400) return { jobs: [] };
        throw error;
      });
      // The next lower number is another job.
      if (id === 'number') page.jobs = page.jobs.filter((job) => job.number === query.before - 1);
      return { title, id, query, page };
    }),
  );
  const found = groups.filter((group) => group.page.jobs.length > 0);
  const named = namesakes(app, words, workers, allPlans);
  const isNothing = found.length === 0 && named.length === 0;
  main.replaceChildren(
    ...[
      head('Found'),
      h('p', { class: 'soft' }, 'Looked for: ', foreign(words)),
      ...named.map((parts) => h('p', null, ...parts)),
      ...found.map((group) =>
        section(
          group.title,
          `found-${group.id}`,
          table({
            caption: 'Found jobs',
            columns: jobColumns(app),
            items: group.page.jobs,
            key: (job) => job.id,
            limit: LIMITS.foundRows,
            empty: '',
          }),
          h(
            'p',
            null,
            group.id === 'number' || group.id === 'id' ? null : app.link(
              '/jobs',
              group.page.next ? `The newest ${number(group.page.jobs.length)} are shown. See all` : 'See as a list',
              group.query,
            ),
          ),
        ),
      ),
      isNothing
        ? h(
            'p',
            { class: 'empty' },
            'Nothing was found. A job is found by its number such as #137, its id or the first 8 digits of it, its kind, its ' +
              'error code, or its key; a department, a worker or a plan by its name. A key of a kind that no worker serves now ' +
              'is found with the kind before it.',
          )
        : null,
    ].filter(Boolean),
  );
  return () => {};
}
