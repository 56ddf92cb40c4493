/** The reset: it says the numbers, asks, and shows how far it is. */

/**
 * Asks, and cancels everything.
 * @param {object} app
 * @param {{goesOn: (operation: object|null) => void, ended: (operation: object) => void}} tell - `goesOn`: how far it is;
 *   null: it goes on no more. `ended`: what was before it counts no more.
 */
export async function reset(app, tell) {
  const { actions, api, confirm, notice, operations } = app;
  if (!(await confirm(question(app.words, await api.get('count', { action: 'reset' }))))) return;
  const begun = await actions.send('reset', {});
  const done = await operations.follow(api, begun, tell.goesOn).finally(() => tell.goesOn(null));
  tell.ended(done);
  notice.tell(`Reset: ${operations.outcomeWords(done)}.`, 'good');
}

function question(words, found) {
  const waits = words.number(found.held + found.queued);
  const plans = found.plans > 0 ? `, and so ${found.plans === 1 ? 'is' : 'are'} ${words.count(found.plans, 'plan')}` : '';
  return {
    title: `Reset ${words.count(found.jobs, 'job')}: ${waits} not begun, ${words.number(found.running)} running?`,
    text:
      `All of them are cancelled, in all departments${plans}: those that wait, ` +
      'and those that are served. The numbers and the clock are set back.',
    action: 'Reset',
    danger: true,
  };
}
