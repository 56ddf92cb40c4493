/** Questions to the person, in the browser's own dialog: it keeps the focus, and Escape says no. */

import { h, setText } from './dom.js';

/** Gives each dialog an id of its own. */
let opened = 0;

/**
 * Asks for values, or only for a yes.
 * @param {object} question
 * @param {string} question.title - The question, with the numbers first.
 * @param {any} [question.text] - More words.
 * @param {(values: Object<string, string>) => string} [question.summary] - Words about the values, below the fields.
 * @param {string} question.action - The word on the button that says yes.
 * @param {boolean} [question.danger] - Whether the action takes something away.
 * @param {Array<{name: string, label: string, type?: string, value?: any, hint?: string,
 *   options?: Array<[string, string]>, min?: number, max?: number}>} [question.fields]
 * @returns {Promise<Object<string, string>|null>} The values of the fields; null: no.
 */
export function ask({ title, text = null, action, danger = false, fields = [], summary = null }) {
  return new Promise((resolve) => {
    let answer = null;
    const inputs = new Map(fields.map((one) => [one.name, field(one)]));
    const values = () => Object.fromEntries([...inputs].map(([name, { input }]) => [name, input.value]));
    const sum = summary ? h('p', { role: 'status' }, summary(values())) : null;
    const accept = (event) => {
      event.preventDefault();
      answer = values();
      dialog.close();
    };
    const dialog = open(
      title,
      h(
        'form',
        { onsubmit: accept, oninput: sum ? () => setText(sum, summary(values())) : null },
        text ? h('p', null, text) : null,
        inputs.size > 0 ? h('div', { class: 'inputs' }, [...inputs.values()].map(({ row }) => row)) : null,
        sum,
        h(
          'div',
          { class: 'answers' },
          h('button', { type: 'button', onclick: () => dialog.close() }, 'Back'),
          h('button', { type: 'submit', class: danger ? 'danger' : 'main' }, action),
        ),
      ),
    );
    dialog.addEventListener('close', () => resolve(answer));
  });
}

/** Asks for a yes. */
export async function confirm(question) {
  return (await ask(question)) !== null;
}

/** Shows something that goes on: `body` is an element that changes. Returns a function that closes it. */
export function showWork(title, body) {
  const close = () => dialog.close();
  const dialog = open(title, body, h('div', { class: 'answers' }, h('button', { onclick: close }, 'Close')));
  return close;
}

function open(title, ...children) {
  opened += 1;
  const heading = h('h2', { id: `dialog-${opened}` }, title);
  const dialog = h('dialog', { 'aria-labelledby': heading.id }, heading, children);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

function field({ name, label, type = 'text', value = '', hint = null, options = null, min = null, max = null }) {
  const id = `field-${name}`;
  const described = hint ? `${id}-hint` : null;
  const shared = { id, name, 'aria-describedby': described };
  const input = options
    ? h(
        'select',
        shared,
        options.map(([key, words]) => h('option', { value: key, selected: key === value }, words)),
      )
    : h('input', { ...shared, type, value, min, max, required: true, autocomplete: 'off' });
  const row = h(
    'div',
    { class: 'field' },
    h('label', { for: id }, label),
    input,
    hint ? h('small', { id: described }, hint) : null,
  );
  return { input, row };
}
