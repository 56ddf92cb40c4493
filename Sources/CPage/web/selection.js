/** Selected jobs, and what can be done to them or to all jobs that match. */

import { h } from './dom.js';
import { actOnCounted, countMatching, questionWords } from './many.js';
import { isToBeSettled, isUnfinished } from './states.js';
import { count, number } from './words.js';

/** What is selected in one list. */
export class Selection {
  #app;
  #filter;
  #draw;
  #ids = new Set();
  #matching = null;

  /** @param {object} app @param {object} filter - Of the list. @param {() => void} draw */
  constructor(app, filter, draw) {
    this.#app = app;
    this.#filter = filter;
    this.#draw = draw;
  }

  /** Whether a job is selected. */
  has(id) {
    return this.#ids.has(id);
  }

  /** The column with a box for each job. */
  column() {
    return {
      title: '',
      label: 'Select',
      className: 'select',
      cell: (job) =>
        h('input', {
          type: 'checkbox',
          'aria-label': `Select ${job.kind} ${job.id}`,
          checked: this.#ids.has(job.id),
          onchange: (event) => this.#set([job.id], event.currentTarget.checked),
        }),
    };
  }

  /** The bar over the list; null for somebody who may only look. */
  bar(jobs) {
    if (!this.#app.actions.areAllowed || jobs.length === 0) return null;
    const isWhole = jobs.every((job) => this.#ids.has(job.id));
    return h(
      'div',
      { class: 'selection', role: 'group', 'aria-label': 'Selected jobs', key: 'selection' },
      this.#matching
        ? null
        : h(
            'label',
            null,
            h('input', {
              type: 'checkbox',
              checked: isWhole,
              onchange: (event) =>
                this.#set(
                  jobs.map((job) => job.id),
                  event.currentTarget.checked,
                ),
            }),
            ' this page',
          ),
      h(
        'span',
        { class: 'count', role: 'status' },
        this.#matching ? this.#matchingWords() : `${number(this.#ids.size)} selected`,
      ),
      this.#matching ? this.#matchingButtons() : this.#selectedButtons(jobs),
      this.#matching
        ? h('button', { class: 'quiet', key: 'back', onclick: () => this.#clear() }, 'Back to single jobs')
        : this.#app.actions.button('All that match …', () => this.#count(), {
            key: 'count all that match',
            className: 'quiet',
          }),
    );
  }

  #selectedButtons(jobs) {
    const chosen = jobs.filter((job) => this.#ids.has(job.id));
    if (chosen.length === 0) return null;
    const unfinished = chosen.filter((job) => isUnfinished(job.state));
    const failed = chosen.filter(isToBeSettled);
    return [
      this.#button('cancel', 'Cancel', {
        jobs: unfinished.length,
        ids: unfinished.map((job) => job.id),
        held: inState(unfinished, 'held'),
        queued: inState(unfinished, 'queued'),
        running: inState(unfinished, 'running'),
      }),
      this.#button('replay', 'Replay', { jobs: failed.length, ids: failed.map((job) => job.id) }),
      this.#button('drop', 'Drop', { jobs: failed.length, ids: failed.map((job) => job.id) }),
    ];
  }

  #matchingWords() {
    const { unfinished, failed } = this.#matching;
    const waits = `${count(unfinished.jobs, 'job')} wait or run`;
    return `All that match: ${waits}, ${number(failed.jobs)} failed and to be looked at`;
  }

  #matchingButtons() {
    const { unfinished, failed } = this.#matching;
    return [
      this.#button('cancel', 'Cancel', unfinished),
      this.#button('replay', 'Replay', failed),
      this.#button('drop', 'Drop', failed),
    ];
  }

  #button(action, label, part) {
    if (part.jobs === 0) return null;
    return this.#app.actions.button(
      `${label} ${number(part.jobs)}`,
      async () => {
        if (await actOnCounted(this.#app, action, part)) {
          this.#clear();
          this.#app.reload();
        }
      },
      {
        key: `selected ${action}`,
        className: action === 'replay' ? null : 'danger',
        title: questionWords(action, part),
      },
    );
  }

  async #count() {
    this.#matching = await countMatching(this.#app, this.#filter);
    this.#draw();
  }

  #set(ids, isSelected) {
    for (const id of ids) isSelected ? this.#ids.add(id) : this.#ids.delete(id);
    this.#draw();
  }

  #clear() {
    this.#ids.clear();
    this.#matching = null;
    this.#draw();
  }
}

function inState(jobs, state) {
  return jobs.filter((job) => job.state === state).length;
}
