/** The filters of the list of jobs. They are the query of its address, so a filtered list can be sent to somebody. */

import { h } from './dom.js';
import { jobStates } from './states.js';
import { moment } from './words.js';

/** The filters that the address may have. */
export const filterNames = ['department', 'state', 'kind', 'key', 'error', 'plan', 'unsettled', 'since_ms', 'until_ms'];

/** The names that the field of departments offers. */
const departmentList = 'filter-departments';

/** Offers the departments of a board. */
export function offerDepartments(form, board) {
  form
    .querySelector(`#${departmentList}`)
    .replaceChildren(...board.departments.map(({ status }) => h('option', { value: status.name })));
}

/** A filter in words: `of deposits that failed, with the error timeout`; empty for none. */
export function filterWords(filter) {
  return [
    filter.department && `of ${filter.department}`,
    filter.state && `that are ${filter.state}`,
    filter.kind && `of the kind ${filter.kind}`,
    filter.key && `with the key ${filter.key}`,
    filter.error && `with the error ${filter.error}`,
    filter.plan && `of the plan ${filter.plan}`,
    filter.unsettled && 'neither replayed nor dropped',
    filter.since_ms && `since ${moment(Number(filter.since_ms))}`,
    filter.until_ms && `until ${moment(Number(filter.until_ms))}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** The form. It is made once, so nothing disturbs somebody who fills it in. */
export function filterForm(app, filter) {
  const inputs = {
    department: text('department', filter.department, departmentList),
    kind: text('kind', filter.kind),
    key: text('key', filter.key),
    error: text('error', filter.error),
    since_ms: moments('since_ms', filter.since_ms),
    until_ms: moments('until_ms', filter.until_ms),
    state: h(
      'select',
      { name: 'state', id: 'filter-state' },
      [['', 'any'], ...jobStates.map((state) => [state, state])].map(([value, words]) =>
        h('option', { value, selected: value === (filter.state ?? '') }, words),
      ),
    ),
  };
  const unsettled = h('input', {
    type: 'checkbox',
    name: 'unsettled',
    id: 'filter-unsettled',
    checked: filter.unsettled === 'true',
  });
  const problem = h('p', { class: 'problem', role: 'alert', hidden: true });
  const submit = (event) => {
    event.preventDefault();
    const wanted = read(inputs, unsettled.checked, filter.plan);
    problem.textContent = problemOf(wanted) ?? '';
    problem.hidden = problem.textContent === '';
    if (problem.hidden) app.go('/jobs', wanted);
  };
  return h(
    'form',
    { class: 'filters', onsubmit: submit, 'aria-label': 'Filters' },
    row('Department', inputs.department),
    row('State', inputs.state),
    row('Kind', inputs.kind),
    row('Key', inputs.key),
    row('Error', inputs.error),
    row('Accepted since', inputs.since_ms),
    row('Accepted until', inputs.until_ms),
    h('div', { class: 'field check' }, unsettled, h('label', { for: 'filter-unsettled' }, 'failed, to be looked at')),
    h(
      'div',
      { class: 'field answers' },
      h('button', { type: 'submit', class: 'main' }, 'Filter'),
      app.link('/jobs', 'Clear'),
    ),
    h('datalist', { id: departmentList }),
    problem,
  );
}

function read(inputs, isUnsettled, plan) {
  const values = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value.trim()]));
  for (const name of ['since_ms', 'until_ms'])
    values[name] = values[name] === '' ? '' : new Date(values[name]).getTime();
  return { ...values, plan, unsettled: isUnsettled ? 'true' : null };
}

function problemOf(wanted) {
  if (wanted.key && !wanted.kind) return 'Give the kind with the key: each kind has keys of its own.';
  if (wanted.unsettled && wanted.state && wanted.state !== 'failed') return 'Only failed jobs can be unsettled.';
  if (wanted.error && wanted.state && wanted.state !== 'failed') return 'Only failed jobs have an error.';
  return null;
}

function text(name, value, list = null) {
  return h('input', {
    type: 'text',
    name,
    id: `filter-${name}`,
    value: value ?? '',
    autocomplete: 'off',
    spellcheck: 'false',
    list,
  });
}

/** A moment in the reader's time zone, as the browser's own field writes it. */
function moments(name, ms) {
  const date = ms ? new Date(Number(ms)) : null;
  const local = date ? new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19) : '';
  return h('input', { type: 'datetime-local', step: 1, name, id: `filter-${name}`, value: local });
}

function row(label, input) {
  return h('div', { class: 'field' }, h('label', { for: input.id }, label), input);
}
