/** Small parts that many screens have. */

import { clock, tickingText } from './clock.js';
import { h } from './dom.js';
import { age, fullMoment, moment } from './words.js';

/** A moment, with its day and its offset as a title; a dash for none. */
export function at(ms) {
  if (!Number.isFinite(ms)) return '–';
  return h('time', { datetime: new Date(ms).toISOString(), title: fullMoment(ms) }, moment(ms));
}

/** `3 min ago`, `in 3 min` or `3 min`, which goes on by itself; a dash for no moment. `form`: see `tickingText`. */
export function ticking(form, ms) {
  if (!Number.isFinite(ms)) return '–';
  return h(
    'time',
    { datetime: new Date(ms).toISOString(), title: fullMoment(ms), 'data-tick': form, 'data-ms': ms },
    tickingText(form, ms),
  );
}

/** The moment of a duration that began so many milliseconds ago. */
export function sinceAgo(ms) {
  return Number.isFinite(ms) ? clock.now() - ms : null;
}

/** Text of somebody else: it may be long, and in any script. */
export function foreign(text, className = '') {
  return h('bdi', { class: `foreign ${className}`.trim(), title: text.length > 60 ? text : null }, text);
}

/** Why something did not succeed: the code, and the sentence below it; a dash for nothing. */
export function failure(error) {
  return error ? [foreign(error.error), h('small', null, foreign(error.message))] : '–';
}

/** The first characters of an id, which is enough to tell neighbours apart; the whole id is the title. */
export function shortId(id) {
  return h('span', { class: 'id', title: id }, id.length > 13 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id);
}

/** Names with their values, in two columns. Those without a value are left out. */
export function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false);
  return h(
    'dl',
    { class: 'facts' },
    known.map(([name, value]) => h('div', { key: name }, h('dt', null, name), h('dd', null, value))),
  );
}

/** A part of the page under its own heading. */
export function section(title, id, ...children) {
  return h(
    'section',
    { key: id, 'aria-labelledby': `${id}-title`, id },
    h('h2', { id: `${id}-title` }, title),
    children,
  );
}

/** The head of a screen. */
export function head(title, ...beside) {
  return h('div', { class: 'head' }, h('h1', null, title), beside);
}

/** A bar for a part of a whole, with its words beside it for everybody. */
export function bar(value, whole, label) {
  return h('meter', {
    min: 0,
    max: Math.max(1, whole),
    value: Math.min(value, Math.max(1, whole)),
    'aria-label': label,
  });
}

/** How old a list is, why it cannot be read, and the button that reads it again. */
export function freshness(source) {
  const heardAt = source.at === null ? null : clock.now() - (performance.now() - source.at);
  const look = h(
    'button',
    { class: 'quiet', onclick: () => source.refresh(), 'aria-disabled': source.isBusy ? 'true' : null },
    'Look again',
  );
  return [
    source.error
      ? h(
          'p',
          { class: 'problem', key: 'problem' },
          source.error.message,
          source.at === null ? null : ` What you see is ${age(performance.now() - source.at)} old.`,
        )
      : null,
    h(
      'p',
      { class: 'fresh', key: 'fresh' },
      heardAt === null
        ? source.error
          ? null
          : 'Asking …'
        : ['as of ', at(heardAt), ', ', ticking('ago', heardAt)],
      ' ',
      look,
    ),
  ];
}
