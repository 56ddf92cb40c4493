/** The search: an id leads to its job, plan or worker; other words are looked for as a kind, an error and a key. */

import { segment } from './api.js';
import { departmentLink } from './department-actions.js';
import { h } from './dom.js';
import { jobColumns } from './job-columns.js';
import { LIMITS } from './limits.js';
import { foreign, head, section, shortId } from './parts.js';
import { table } from './table.js';
import { number } from './words.js';

const uuidPattern = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/;

/** What the page prints of jobs: `#137`, `01a223e3`, `01a223e3…032c`. */
const numberPattern = /^#([\d,]+)$/;
const partPattern = /^[0-9a-f]{8}[0-9a-f-]*((…|\.\.\.)[0-9a-f]+)?$/i;

/** Goes to what was looked for. */
export function find(app, text) {
  const words = text.trim();
  if (words !== '') app.go('/jobs', { find: words });
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
  const isMeant = (name, id = '') =>
    [name, id].some((one) => one.toLowerCase() === text) || (partPattern.test(words) && hasPart(id, text));
  return [
    app.live.department(words) ? ['The department ', departmentLink(app, words)] : null,
    ...workers
      .filter((one) => isMeant(one.name, one.id))
      .map((one) => ['The worker ', app.link('/workers', foreign(one.name)), ' ', shortId(one.id)]),
    ...plans
      .filter((one) => isMeant(one.name ?? '', one.id))
      .map((one) => ['The plan ', app.link(planPath(one), foreign(one.name ?? one.id))]),
  ].filter(Boolean);
}

function planPath({ name, id }) {
  return `/plans/${segment(name ?? id)}`;
}

/** The address of what has a whole id: a worker, a plan or a job. */
async function pathOf(app, id) {
  const [{ workers, plans }, job] = await Promise.all([
    namedOnes(app),
    app.api.get(`jobs/${segment(id)}`).catch(() => ({ id })),
  ]);
  if (workers.some((one) => one.id === id)) return '/workers';
  // An earlier run of a plan is not in the list, and is a job of this kind all the same.
  const plan = plans.find((one) => one.id === id) ?? (job.kind === 'plan' ? job : null);
  return plan ? planPath(plan) : `/jobs/${segment(id)}`;
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

/** The workers and the plans; without an answer of the server the search goes on without them. */
async function namedOnes(app) {
  const [{ workers = [] }, { plans = [], not_started: others = [], stopped = [] }] = await Promise.all([
    app.api.get('workers').catch(() => ({})),
    app.api.get('plans').catch(() => ({})),
  ]);
  return { workers, plans: [...plans, ...[...others, ...stopped].map((name) => ({ name }))] };
}

/** Who and what has the words as a name, and the jobs that they fit, in groups. */
async function look(app, words) {
  const { workers, plans } = await namedOnes(app);
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
  return { named: namesakes(app, words, workers, plans), found };
}

/** The screen of what was found. A whole id leads on, and the way back does not lead over this screen. */
export async function showFound(main, app, words) {
  const address = location.href;
  const top = [head('Found'), h('p', { class: 'soft' }, 'Looked for: ', foreign(words))];
  main.replaceChildren(...top);
  const id = uuidPattern.exec(words.toLowerCase())?.slice(1).join('-');
  const path = id ? await pathOf(app, id) : null;
  const found = id ? null : await look(app, words);
  // Somebody may have gone elsewhere meanwhile.
  if (location.href !== address) return () => {};
  if (found) {
    main.replaceChildren(...top, ...list(app, found));
  } else {
    history.replaceState(null, '', app.address(path));
    app.reload();
  }
  return () => {};
}

function list(app, { named, found }) {
  if (found.length === 0 && named.length === 0) {
    return [
      h(
        'p',
        { class: 'empty' },
        'Nothing was found. A job is found by its number such as #137, its id or the first 8 digits of it, its kind, its ' +
          'error code, or its key; a worker or a plan by its name or id; a department by its name. A key of a kind that no ' +
          'worker serves now is found with the kind before it.',
      ),
    ];
  }
  return [...named.map((parts) => h('p', null, ...parts)), ...found.map((group) => groupOf(app, group))];
}

function groupOf(app, { title, id, query, page }) {
  const words = page.next ? `The newest ${number(page.jobs.length)} are shown. See all` : 'See as a list';
  return section(
    title,
    `found-${id}`,
    table({
      caption: 'Found jobs',
      columns: jobColumns(app),
      items: page.jobs,
      key: (job) => job.id,
      limit: LIMITS.foundRows,
      empty: '',
    }),
    h('p', null, id === 'number' || id === 'id' ? null : app.link('/jobs', words, query)),
  );
}
