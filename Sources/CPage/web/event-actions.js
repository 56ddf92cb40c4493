/** Events of plans: somebody accepts or dismisses them. */

/** Accepts an event that waits. */
export function acceptEventButton(app, event) {
  return app.actions.button('Accept', () => app.actions.perform('accept-event', { event }, 'The event is acted on.'), {
    key: `accept ${event}`,
    className: 'main',
  });
}

/** Says that nothing is to be done about an event. */
export function dismissEventButton(app, event) {
  return app.actions.button(
    'Dismiss',
    () => app.actions.perform('dismiss-event', { event }, 'The event is dismissed: nothing is done.'),
    { key: `dismiss ${event}` },
  );
}
