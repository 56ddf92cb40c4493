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

/** Where words are looked for. A key is one only with its kind: each kind has keys of its own. */
function places(words) {
  const [kind, ...rest] = words.split(/\s+/);
  const key = rest.join(' ');
  if (key) return [['Jobs of this kind with this key', 'key', { kind, key }]];
  return [
    ['Jobs of this kind', 'kind', { kind }],
    ['Jobs with this error', 'error', { error: kind }],
  ];
}

/** The screen of what was found. */
export async function showFound(main, app, words) {
  const groups = await Promise.all(
    places(words).map(async ([title, id, query]) => {
      // A word that cannot be a kind is not found, and that is no problem.
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
            caption: group.title,
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
            'Nothing was found. A job is found by its whole id, its kind, its error code, or by its kind and its key.',
          )
        : null,
    ].filter(Boolean),
  );
  return () => {};
}
