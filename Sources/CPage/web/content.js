/** A job's payload and its result. They may be secret: they are asked for only when somebody wants to see them. */

import { segment } from './api.js';
import { h } from './dom.js';
import { LIMITS } from './limits.js';
import { isUnfinished } from './states.js';
import { number } from './words.js';

/** The two buttons, and what they have shown. */
export function contentButtons(app, id) {
  const shown = new Map();
  let changed = () => {};

  const look = async (name) => {
    shown.set(name, await app.api.get(`jobs/${segment(id)}/${name}`));
    changed();
  };
  const hide = (name) => {
    shown.delete(name);
    changed();
  };
  const part = (name, label, absence) => {
    if (absence) return h('p', { class: 'soft', key: name }, absence);
    const content = shown.get(name);
    if (!content)
      return h(
        'p',
        { key: name },
        h('button', { onclick: () => app.actions.once(`${name} of ${id}`, () => look(name)) }, `Show the ${name}`),
      );
    return h(
      'div',
      { key: name },
      h('h3', null, label, ' ', h('button', { class: 'quiet', onclick: () => hide(name) }, `Hide the ${name}`)),
      contentText(content, label),
    );
  };
  return {
    /** Calls back when something else is to be drawn. */
    onChange(draw) {
      changed = draw;
    },
    /** What is shown of a job. */
    render(job) {
      if (!app.me.payloads) return h('p', { class: 'soft' }, 'This page shows no payloads and no results.');
      return [
        app.actions.areAllowed
          ? part('payload', 'Payload', null)
          : h('p', { class: 'soft', key: 'payload' }, 'Only an operator sees the payload.'),
        part('result', 'Result', whyNoResult(job)),
      ];
    },
  };
}

/** Only a job that has succeeded has a result. */
function whyNoResult({ state }) {
  if (state === 'succeeded') return null;
  return isUnfinished(state) ? 'The result is not there yet.' : 'It has no result: it has not succeeded.';
}

function contentText(content, label) {
  const text = content.text === undefined ? (content.base64 ?? '') : readable(content.text);
  const kind = content.text === undefined ? 'bytes as Base64' : (content.content_type ?? 'text');
  const rest = text.length - LIMITS.shownCharacters;
  return [
    h(
      'p',
      { class: 'soft' },
      kind,
      text === '' ? ', empty' : null,
      rest > 0 ? `, ${number(rest)} more characters are not shown` : null,
    ),
    h('pre', { tabindex: 0, role: 'region', 'aria-label': label }, text.slice(0, LIMITS.shownCharacters)),
  ];
}

/**
 * JSON on several lines; any other text as it is. Only the space between the parts is new: the numbers, the texts and the
 * members stay as they are written.
 */
function readable(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  const parts = text.match(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|[^\s[\]{},:"]+/g) ?? [];
  const laidOut = parts.map((part) => {
    switch (part) {
      case '{':
      case '[':
        depth += 1;
        return part + line();
      case '}':
      case ']':
        depth -= 1;
        return line() + part;
      case ',':
        return part + line();
      case ':':
        return ': ';
      default:
        return /^[[{]/.test(part) ? part.replace(/\s/g, '') : part;
    }
  });
  return laidOut.join('');
}
