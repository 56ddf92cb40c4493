/** The bank's screen: those who wait, those who are served, the clock, ten more customers, and a reset. */

import { closing } from './closing.js';
import { Day } from './day.js';
import { lists } from './lists.js';
import { opening } from './opening.js';
import { reset } from './reset.js';
import { Served } from './served.js';

/** Presses within so many milliseconds are one press. */
const burst = 600;
/** How often the clock ticks, in milliseconds. */
const tick = 50;
/** The shortest pause between an event of the opening and the next look at it. */
const eventPause = 300;

/**
 * Shows the screen.
 * @param {Element} main
 * @param {object} app - What the page gives to each screen.
 * @returns {Promise<() => void>} Ends the screen.
 */
export async function show(main, app) {
  const screen = new Screen(main, app, await app.api.get('screens/bank/settings'));
  screen.begin();
  return () => screen.end();
}

/** The screen with its parts. */
class Screen {
  #app;
  #settings;
  #day;
  #served;
  #plan;
  #clock;
  #views;
  #offs = [];
  #timer = null;
  #lastPress = -Infinity;
  /** The reset that goes on; null: there is none. */
  #operation = null;

  constructor(main, app, settings) {
    const { h } = app.dom;
    const draw = () => this.#draw();
    [this.#app, this.#settings] = [app, settings];
    this.#day = new Day(settings.departments);
    this.#served = new Served(app, settings.departments, this.#day, draw);
    this.#plan = new app.Source(() => app.api.get(`plans/${encodeURIComponent(settings.plan)}`), { draw });
    this.#clock = h('p', { class: 'bank-clock', role: 'timer', 'aria-label': 'Clock' });
    const [top, numbers, rows, report, plan] = Array.from({ length: 5 }, () => h('div'));
    main.replaceChildren(top, h('div', { class: 'bank-standing' }, this.#clock, numbers), rows, report, plan);
    this.#views = [
      new app.View(top, () => this.#top()),
      new app.View(numbers, () => this.#numbers()),
      new app.View(rows, () => lists(app, this.#departments())),
      new app.View(report, () => closing(app, this.#day, this.#served)),
      new app.View(plan, () => opening(app, settings.plan, this.#plan)),
    ];
  }

  begin() {
    const { live } = this.#app;
    live.watch(this.#settings.departments);
    this.#offs = [
      live.on('board', (board) => this.#takeBoard(board)),
      live.on('events', (events) => this.#takeEvents(events)),
    ];
    this.#drawClock();
    this.#timer = setInterval(() => this.#drawClock(), tick);
    this.#plan.refresh();
    if (live.board) this.#takeBoard(live.board);
  }

  end() {
    for (const off of this.#offs) off();
    for (const view of this.#views) view.end();
    clearInterval(this.#timer);
    this.#served.end();
    this.#plan.end();
  }

  #draw() {
    for (const view of this.#views) view.draw();
  }

  #takeBoard(board) {
    this.#served.takeBoard(this.#day.take(board));
    this.#draw();
  }

  #takeEvents(events) {
    if (events.some((event) => event.plan === this.#settings.plan)) this.#plan.refreshSoon(eventPause);
    this.#served.takeEvents(events);
    this.#draw();
  }

  #drawClock() {
    const { clock, dom } = this.#app;
    this.#clock.classList.toggle('running', this.#day.isOpen);
    dom.setText(this.#clock, clockText(this.#day.length(clock.now())));
  }

  #departments() {
    return this.#settings.departments.map((name) => this.#app.live.department(name)).filter(Boolean);
  }

  #top() {
    const { operations, parts } = this.#app;
    return [
      parts.head('Bank', this.#buttons()),
      this.#operation ? operations.operationProgress(this.#operation) : null,
    ];
  }

  #numbers() {
    const { dom, words } = this.#app;
    const { h } = dom;
    const sum = (read) => this.#departments().reduce((whole, one) => whole + read(one.status), 0);
    return h(
      'dl',
      { class: 'bank-numbers' },
      [
        ['Waiting', sum((status) => status.held - status.delayed - status.retrying - status.dependent + status.queued)],
        ['Being served', sum((status) => status.running)],
        ['Served', this.#served.customers],
      ].map(([name, value]) => h('div', { key: name }, h('dt', null, name), h('dd', null, words.number(value)))),
    );
  }

  #buttons() {
    const { actions, dom } = this.#app;
    const { h } = dom;
    if (!actions.areAllowed) return h('p', { class: 'soft' }, 'You may only look.');
    const { customers } = this.#settings;
    // The moment of the press counts: a busy page hears of it later.
    const add = ({ timeStamp }) => {
      const isNew = timeStamp - this.#lastPress > burst;
      this.#lastPress = timeStamp;
      if (isNew) actions.once('bank add', () => this.#add());
    };
    return h(
      'div',
      { class: 'acts' },
      h('button', { class: 'main', key: 'add', onclick: add }, `Add ${customers === 10 ? 'ten' : customers}`),
      actions.button('Reset …', () => this.#reset(), { key: 'bank reset', className: 'danger' }),
    );
  }

  async #add() {
    const { customers } = this.#settings;
    await this.#app.actions.sendTo('screens/bank/add', { customers });
    this.#app.notice.tell(`${this.#app.words.count(customers, 'customer')} came in.`, 'good');
  }

  #reset() {
    return reset(this.#app, {
      goesOn: (operation) => {
        this.#operation = operation;
        this.#draw();
      },
      ended: (operation) => {
        if (this.#day.setBack(operation)) this.#served.forget();
        this.#draw();
      },
    });
  }
}

/** `1:02.7` of 62,740 milliseconds. */
function clockText(ms) {
  const tenths = Math.floor(ms / 100);
  const two = (value) => String(value).padStart(2, '0');
  return `${Math.floor(tenths / 600)}:${two(Math.floor(tenths / 10) % 60)}.${tenths % 10}`;
}
