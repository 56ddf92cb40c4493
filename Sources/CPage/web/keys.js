/** Keys: which are taken, who has one, and how one is given back. */

import { segment } from './api.js';
import { h } from './dom.js';
import { LIMITS } from './limits.js';
import { showOperation } from './operations.js';
import { at, facts, failure, foreign, section, shortId } from './parts.js';
import { questionScreen } from './screen.js';
import { badge } from './states.js';
import { pager, table } from './table.js';
import { number } from './words.js';

/** @returns {Promise<() => void>} Ends the screen. */
export async function show(main, app) {
  const { kind = null, key = null, after = null } = app.query;
  const ask = async () => ({
    one: kind && key ? await app.api.get('keys/one', { kind, key }) : null,
    page: await app.api.get('keys', { kind, after }),
  });
  const screen = questionScreen(main, {
    title: 'Keys',
    above: [lookUp(app, kind, key)],
    ask,
    body: ({ one, page }) => [
      one
        ? section(
            'The key',
            'one',
            oneKey(app, one, () => screen.source.refresh()),
          )
        : null,
      section(
        kind ? ['Taken keys of ', foreign(kind)] : 'Taken keys',
        'taken',
        table({
          caption: 'Taken keys',
          items: page.keys,
          key: (taken) => JSON.stringify([taken.kind, taken.key]),
          limit: LIMITS.listRows,
          empty: 'No key is taken.',
          columns: columns(app, () => screen.source.refresh()),
        }),
        pager(app, {
          path: '/keys',
          query: { kind },
          place: after,
          next: page.next ? `${page.next.kind}/${page.next.key}` : null,
          name: 'after',
        }),
      ),
    ],
  });
  return screen.end;
}

function lookUp(app, kind, key) {
  const field = (name, label, value, isRequired) => {
    const input = h('input', {
      type: 'text',
      id: `key-${name}`,
      name,
      value: value ?? '',
      autocomplete: 'off',
      spellcheck: 'false',
      required: isRequired,
    });
    return [input, h('div', { class: 'field' }, h('label', { for: input.id }, label), input)];
  };
  const [kindInput, kindRow] = field('kind', 'Kind', kind, true);
  const [keyInput, keyRow] = field('key', 'Key (none: all of the kind)', key, false);
  const submit = (event) => {
    event.preventDefault();
    app.go('/keys', { kind: kindInput.value.trim(), key: keyInput.value });
  };
  return h(
    'form',
    { class: 'filters', onsubmit: submit, 'aria-label': 'Look up a key' },
    kindRow,
    keyRow,
    h(
      'div',
      { class: 'field answers' },
      h('button', { type: 'submit', class: 'main' }, 'Look up'),
      app.link('/keys', 'Clear'),
    ),
  );
}

function columns(app, changed) {
  return [
    {
      title: 'Key',
      isHeader: true,
      cell: (taken) => app.link('/keys', foreign(taken.key), { kind: taken.kind, key: taken.key }),
    },
    { title: 'Kind', cell: (taken) => foreign(taken.kind) },
    { title: 'Job', cell: (taken) => app.link(`/jobs/${segment(taken.job)}`, shortId(taken.job)) },
    { title: 'State', cell: (taken) => (taken.state ? badge(taken.state) : 'removed') },
    { title: 'Taken until', cell: (taken) => (Number.isFinite(taken.until_ms) ? at(taken.until_ms) : 'its job ends') },
    app.actions.areAllowed
      ? { title: '', label: 'Actions', className: 'acts', cell: (taken) => keyButtons(app, taken, changed) }
      : null,
  ];
}

function oneKey(app, one, changed) {
  return [
    h('div', { class: 'acts' }, keyButtons(app, one, changed)),
    facts([
      ['Key', foreign(one.key)],
      ['Kind', foreign(one.kind)],
      ['Standing', badge(one.taken ? 'taken' : 'free')],
      [
        'Job',
        one.job
          ? [app.link(`/jobs/${segment(one.job)}`, shortId(one.job)), ' ', one.state ? badge(one.state) : null]
          : 'nobody has used it',
      ],
      ['Since', Number.isFinite(one.since_ms) ? at(one.since_ms) : null],
      ['Taken until', Number.isFinite(one.until_ms) ? at(one.until_ms) : one.while_live ? 'its job ends' : null],
      ['Waiting for the outcome', number(one.waiting)],
      ['Error', one.error ? failure(one.error) : null],
    ]),
  ];
}

function keyButtons(app, { kind, key, taken = true }, changed) {
  const name = JSON.stringify([kind, key]);
  return [
    taken
      ? app.actions.button(
          'Free',
          async () => {
            await app.actions.perform('free-key', { kind, key }, (freed) =>
              freed.changed ? `${key} is free.` : `${key} was free already.`,
            );
            changed();
          },
          { key: `free ${name}`, title: 'The next submission with this key runs' },
        )
      : null,
    app.actions.button('Reset …', () => reset(app, kind, key, changed), { key: `reset ${name}`, className: 'danger' }),
  ];
}

async function reset(app, kind, key, changed) {
  const isSure = await app.confirm({
    title: `Reset 1 key: ${key}?`,
    text: 'It is free, and its outcome is forgotten. Its job is cancelled if it waits or runs.',
    action: 'Reset the key',
    danger: true,
  });
  if (!isSure) return;
  const answer = await app.actions.send('reset-key', { kind, key });
  if (answer.id !== undefined) await showOperation(app, answer);
  else app.notice.tell(`${key} is reset.`, 'good');
  changed();
}
