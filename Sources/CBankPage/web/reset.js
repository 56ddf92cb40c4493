/** The reset: it says the numbers, asks, and shows how far it is. */

/**
 * Asks, and cancels everything.
 * @param {object} app
 * @param {{begun: (atMs: number) => void, goesOn: (operation: object|null) => void}} tell - `begun`: everything before that
 *   moment counts no more. `goesOn`: how far it is; null: it has ended.
 */
export async function reset(app, tell) {
  const { actions, api, confirm, notice, operations } = app;
  if (!(await confirm(question(app.words, await api.get('count', { action: 'reset' }))))) return;
  const begun = await actions.send('reset', {});
  tell.begun(begun.started_ms);
  const done = await operations.follow(api, begun, tell.goesOn);
  tell.goesOn(null);
  notice.tell(`Reset: ${operations.outcomeWords(done)}.`, 'good');
}

function question(words, found) {
  const waits = words.number(found.held + found.queued);
  const plans = found.plans > 0 ? `, and so ${found.plans === 1 ? 'is' : 'are'} ${words.count(found.plans, 'plan')}` : '';
  return {
    title: `Reset ${words.count(found.jobs, 'job')}: ${waits} wait, ${words.number(found.running)} run?`,
    text:
      `All of them are cancelled, in all departments${plans}: those that wait, ` +
      'and those that are served. The numbers and the clock are set back.',
    action: 'Reset',
    danger: true,
  };
}
