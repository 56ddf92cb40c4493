/** Messages that could not be accepted and were parked: they are put back after a repair, or dropped. */

import { h } from './dom.js';
import { LIMITS } from './limits.js';
import { at, failure, foreign, ticking } from './parts.js';
import { questionScreen } from './screen.js';
import { table } from './table.js';
import { count, number, size } from './words.js';

/** @returns {Promise<() => void>} Ends the screen. */
export async function show(main, app) {
  const chosen = new Set();
  const screen = questionScreen(main, {
    title: 'Rejected',
    ask: () => app.api.get('rejected'),
    // While the list is read nobody else can read it: it is asked for again only when there is a reason.
    pause: null,
    body: (messages) => [
      bar(app, messages, chosen, screen),
      table({
        caption: 'Rejected messages',
        items: messages,
        key: (message) => message.id,
        limit: LIMITS.listRows,
        empty: 'No message was rejected.',
        columns: columns(app, chosen, screen),
        rowClass: (message) => (chosen.has(message.id) ? 'selected' : null),
      }),
    ],
  });
  const off = app.live.on('events', (events) => {
    if (events.some((event) => event.event === 'parked')) screen.source.refreshSoon(LIMITS.jobPause);
  });
  return () => {
    off();
    screen.end();
  };
}

function columns(app, chosen, screen) {
  const change = (id) => (event) => {
    event.currentTarget.checked ? chosen.add(id) : chosen.delete(id);
    screen.draw();
  };
  return [
    app.actions.areAllowed
      ? {
          title: '',
          label: 'Select',
          className: 'select',
          cell: ({ id }) =>
            h('input', {
              type: 'checkbox',
              'aria-label': `Select message ${id.slice(0, 10)}`,
              checked: chosen.has(id),
              onchange: change(id),
            }),
        }
      : null,
    { title: 'Message', isHeader: true, cell: ({ id }) => h('span', { class: 'id', title: id }, id.slice(0, 10)) },
    { title: 'Why', cell: ({ error }) => failure(error) },
    {
      title: 'From',
      cell: ({ from, user }) => [from ? foreign(from) : '–', user ? h('small', null, 'user ', foreign(user)) : null],
    },
    { title: 'Type', cell: ({ type }) => (type ? foreign(type) : '–') },
    { title: 'Size', className: 'number', cell: (message) => size(message.size) },
    {
      title: 'Parked',
      cell: ({ parked_ms: parked }) =>
        Number.isFinite(parked) ? [at(parked), h('small', null, ticking('ago', parked))] : '–',
    },
    {
      title: 'Put back',
      cell: ({ put_back: isPossible, obstacle }) => (isPossible ? 'possible' : foreign(obstacle ?? 'not possible')),
    },
  ];
}

function bar(app, messages, chosen, screen) {
  if (!app.actions.areAllowed || messages.length === 0) return null;
  const shown = messages.slice(0, LIMITS.listRows);
  const picked = shown.filter((message) => chosen.has(message.id));
  const setAll = (event) => {
    for (const { id } of shown) event.currentTarget.checked ? chosen.add(id) : chosen.delete(id);
    screen.draw();
  };
  const after = (name, words) => async () => {
    const ids = picked.map((message) => message.id);
    await app.actions.perform(name, { ids }, words);
    chosen.clear();
    screen.source.refresh();
  };
  return h(
    'div',
    { class: 'selection', role: 'group', 'aria-label': 'Selected messages', key: 'selection' },
    h(
      'label',
      null,
      h('input', { type: 'checkbox', checked: picked.length === shown.length, onchange: setAll }),
      ' all shown',
    ),
    h('span', { class: 'count', role: 'status' }, `${number(picked.length)} selected`),
    picked.length > 0
      ? [
          app.actions.button(
            `Put back ${number(picked.length)}`,
            after('put-back', putBackWords),
            { key: 'put back', className: 'main' },
          ),
          app.actions.button(`Drop ${number(picked.length)} …`, () => drop(app, picked.length, after), {
            key: 'drop rejected',
            className: 'danger',
          }),
        ]
      : null,
  );
}

/** `2 messages put back. 1 stays: it may have been put back before.` */
function putBackWords(ends) {
  const stay = ends.filter((end) => !end.put_back);
  const words = `${count(ends.length - stay.length, 'message')} put back.`;
  if (stay.length === 0) return words;
  return `${words} ${number(stay.length)} ${stay.length === 1 ? 'stays' : 'stay'}: ${stay[0].obstacle ?? 'not possible'}.`;
}

async function drop(app, messages, after) {
  const isSure = await app.confirm({
    title: `Drop ${count(messages, 'message')}?`,
    text: 'They are gone for good.',
    action: `Drop ${number(messages)}`,
    danger: true,
  });
  if (isSure) await after('drop-rejected', (dropped) => `${count(dropped.length, 'message')} dropped.`)();
}
