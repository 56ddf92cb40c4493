/** Plans are started and stopped. */

import { showOperation } from './operations.js';
import { count } from './words.js';

const gateChoices = [
  ['keep', 'The gates stay shut: jobs wait for the next run'],
  ['open', 'The gates open: jobs are served'],
  ['cancel', 'The gates stay shut, and the jobs behind them are cancelled'],
];

/** Starts a plan. */
export function planStartButton(app, plan, { label = `Start ${plan}`, className = 'main' } = {}) {
  const words = ({ started }) => (started ? `${plan} has been started.` : `${plan} was started before.`);
  return app.actions.button(label, () => app.actions.perform('start-plan', { plan }, words), {
    key: `start ${plan}`,
    className,
    title: `Start ${plan}`,
  });
}

/** Stops a plan, after the question what becomes of the jobs behind its gates. */
export function planStopButton(app, plan, gates = []) {
  return app.actions.button(`Stop ${plan} …`, () => stop(app, plan, gates), {
    key: `stop ${plan}`,
    className: 'danger',
  });
}

async function stop(app, plan, gates) {
  const answer = await app.ask({
    title: `Stop ${plan}${gates.length > 0 ? `: ${count(gates.length, 'department')} behind its gates?` : '?'}`,
    text: 'Its steps that have not ended are cancelled.',
    action: 'Stop',
    danger: true,
    fields:
      gates.length > 0 ? [{ name: 'gates', label: 'Jobs behind the gates', options: gateChoices, value: 'keep' }] : [],
  });
  if (answer === null) return;
  const stopped = await app.actions.perform(
    'stop-plan',
    { plan, ...answer },
    (done) => `${plan} is stopped, ${count(done.cancelled_steps, 'step')} cancelled.`,
  );
  for (const id of stopped.operations ?? []) await showOperation(app, await app.api.get(`operations/${id}`));
}
