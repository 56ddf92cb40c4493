/** Webhooks and named watchers: how far each has come. */

import { departmentLink, failedLink, laterJobs, retryWords, waitingJobs } from './department-actions.js';
import { h } from './dom.js';
import { LIMITS } from './limits.js';
import { foreign, section, ticking } from './parts.js';
import { questionScreen } from './screen.js';
import { table } from './table.js';
import { number } from './words.js';

/** The deliveries of a webhook are jobs of a department with this in front of its name. */
const departmentPrefix = 'webhook-';

/** @returns {Promise<() => void>} Ends the screen. */
export async function show(main, app) {
  const screen = questionScreen(main, {
    title: 'Webhooks',
    ask: () => app.api.get('subscribers'),
    body: (page) => [
      section('Deliveries', 'deliveries', deliveries(app)),
      section(
        'Subscribers that keep their place by a name',
        'subscribers',
        table({
          caption: 'Subscribers',
          items: page.subscribers,
          key: (one) => one.name,
          limit: LIMITS.listRows,
          empty: 'Nobody keeps a place by a name, as teller watch --name does.',
          columns: columns(app, () => screen.source.refresh()),
        }),
      ),
    ],
  });
  const off = app.live.on('board', () => screen.draw());
  return () => {
    off();
    screen.end();
  };
}

function deliveries(app) {
  const departments = (app.live.board?.departments ?? []).filter((one) => one.status.name.startsWith(departmentPrefix));
  return table({
    caption: 'Deliveries of webhooks',
    items: departments,
    key: (one) => one.status.name,
    limit: LIMITS.listRows,
    empty: 'No webhook is configured.',
    columns: [
      { title: 'Webhook', isHeader: true, cell: ({ status }) => departmentLink(app, status.name) },
      { title: 'Waiting', className: 'number', cell: ({ status }) => number(waitingJobs(status)) },
      { title: 'Retrying', className: 'number', cell: ({ status }) => retryWords(status) },
      { title: 'Later', className: 'number', cell: ({ status }) => number(laterJobs(status)) },
      { title: 'Delivered', className: 'number', cell: ({ status }) => number(status.succeeded) },
      { title: 'Failed', className: 'number', cell: ({ status }) => failedLink(app, status.name, status.unsettled) },
    ],
  });
}

function columns(app, changed) {
  return [
    { title: 'Name', isHeader: true, cell: (one) => foreign(one.name) },
    { title: 'Place', className: 'number', cell: (one) => `${one.epoch}/${number(one.seq)}` },
    {
      title: 'Behind',
      className: 'number',
      cell: (one) =>
        Number.isFinite(one.behind) ? number(one.behind) : h('span', { class: 'soft' }, 'of an earlier epoch'),
    },
    { title: 'Last seen', cell: (one) => ticking('ago', one.seen_ms) },
    app.actions.areAllowed
      ? { title: '', label: 'Actions', className: 'acts', cell: (one) => forgetButton(app, one, changed) }
      : null,
  ];
}

function forgetButton(app, one, changed) {
  return app.actions.button(
    'Forget …',
    async () => {
      const isSure = await app.confirm({
        title: `Forget ${one.name}${Number.isFinite(one.behind) ? `: ${number(one.behind)} events behind` : ''}?`,
        text: 'Its place is kept no more. If it comes again, it begins as a new one.',
        action: 'Forget',
        danger: true,
      });
      if (!isSure) return;
      await app.actions.perform('forget-subscriber', { name: one.name }, `The place of ${one.name} is forgotten.`);
      changed();
    },
    { key: `forget ${one.name}`, className: 'danger' },
  );
}
