/** What a restore of the ledger holds, since it may have run already: an operator accepts it, or drops it. */

import { ask } from './dialog.js';
import { h } from './dom.js';
import { showOperation } from './operations.js';
import { section } from './parts.js';
import { count } from './words.js';

const choices = {
  accept: { verb: 'Accept', text: 'Those that have run before the restore run again.' },
  drop: { verb: 'Drop', text: 'They never run, and are recorded as cancelled. This cannot be undone.' },
};

/** The section of the overview; null while nothing is held so. */
export function restoredSection(app) {
  const held = app.live.departments.map((one) => one.status).filter((status) => status.restored > 0);
  if (held.length === 0) return null;
  const jobs = held.reduce((whole, status) => whole + status.restored, 0);
  return section(
    'Held after a restore',
    'restored',
    h(
      'p',
      { class: 'bad' },
      `${count(jobs, 'job')} may have run before the ledger was restored: their time came since the backup. `,
      `In ${held.map((status) => status.name).join(', ')}.`,
    ),
    h(
      'p',
      null,
      app.actions.button('Accept …', () => choose(app, 'accept', jobs), { key: 'accept restored' }),
      ' ',
      app.actions.button('Drop …', () => choose(app, 'drop', jobs), { key: 'drop restored', className: 'danger' }),
    ),
  );
}

async function choose(app, choice, jobs) {
  const { verb, text } = choices[choice];
  const answer = await ask({
    title: `${verb} ${count(jobs, 'job')} held after the restore?`,
    text,
    action: verb,
    danger: choice === 'drop',
  });
  if (answer === null) return;
  await showOperation(app, await app.actions.send(`${choice}-restored`, { all: true }));
}
