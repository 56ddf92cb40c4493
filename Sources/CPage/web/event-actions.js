/** Events of plans: somebody accepts or dismisses them. */

const wasDecided = 'The event was decided before.';

/** Accepts an event that waits. */
export function acceptEventButton(app, event) {
  const words = ({ changed }) => (changed ? 'The event is acted on.' : wasDecided);
  return app.actions.button('Accept', () => app.actions.perform('accept-event', { event }, words), {
    key: `accept ${event}`,
    className: 'main',
  });
}

/** Says that nothing is to be done about an event. */
export function dismissEventButton(app, event) {
  const words = ({ changed }) => (changed ? 'The event is dismissed: nothing is done.' : wasDecided);
  return app.actions.button('Dismiss', () => app.actions.perform('dismiss-event', { event }, words), {
    key: `dismiss ${event}`,
  });
}
