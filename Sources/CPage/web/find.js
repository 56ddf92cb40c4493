/** The search: an id leads to its job; other words are looked for as a kind, an error and a key. */

import { departmentLink } from './department-actions.js';
import { h } from './dom.js';
import { jobColumns } from './job-columns.js';
import { LIMITS } from './limits.js';
import { foreign, head, section } from './parts.js';
import { table } from './table.js';
import { number } from './words.js';

const uuidPattern = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

/** Goes to what was looked for. */
export function findJob(app, text) {
  const words = text.trim();
  if (words === '') return;
  if (uuidPattern.test(words)) app.go(`/jobs/${words.toLowerCase()}`);
  else app.go('/jobs', { find: words });
}

/** Where words are looked for. Each kind has keys of its own: a key alone is looked for in the kinds that workers serve. */
async function places(app, words) {
  const [kind, ...rest] = words.split(/\s+/);
  const key = rest.join(' ');
  const keyed = (await servedKinds(app)).map((name) => [
    ['Jobs with this key, of kind ', foreign(name)],
    `key-${name}`,
    { kind: name, key: words },
  ]);
  if (key) return [['Jobs of this kind with this key', 'key', { kind, key }], ...keyed];
  return [['Jobs of this kind', 'kind', { kind }], ['Jobs with this error', 'error', { error: kind }], ...keyed];
}

async function servedKinds(app) {
  // Where the workers are not told, all else is looked for.
  const { workers } = await app.api.get('workers').catch(() => ({ workers: [] }));
  return [...new Set(workers.flatMap((worker) => worker.kinds ?? []))].sort().slice(0, LIMITS.foundKinds);
}

/** The screen of what was found. */
export async function showFound(main, app, words) {
  const groups = await Promise.all(
    (await places(app, words)).map(async ([title, id, query]) => {
      // A word that cannot be a kind or a key is not found, and that is no problem.
      const page = await app.api.get('jobs', { ...query, limit: LIMITS.foundRows }).catch((error) => {
        if (error.status === 400) return { jobs: [] };
        throw error;
      });
      return { title, id, query, page };
    }),
  );
  const found = groups.filter((group) => group.page.jobs.length > 0);
  const isDepartment = app.live.department(words) !== null;
  const isNothing = found.length === 0 && !isDepartment;
  main.replaceChildren(
    ...[
      head('Found'),
      h('p', { class: 'soft' }, 'Looked for: ', foreign(words)),
      isDepartment ? h('p', null, 'The department ', departmentLink(app, words)) : null,
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
            app.link(
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
            'Nothing was found. A job is found by its whole id, its kind, its error code, or its key. A key of a kind that no ' +
              'worker serves now is found with the kind before it.',
          )
        : null,
    ].filter(Boolean),
  );
  return () => {};
}
