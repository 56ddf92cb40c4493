/** The bank's screen: those who wait, those who are served, the clock, ten more customers, and a reset. */

/** The most rows of each list. The server sends no more. */
const laneRows = 50;
/** Presses within so many milliseconds are one press. */
const burst = 600;
/** How often the clock ticks, in milliseconds. */
const tick = 50;
/** In this browser the last reset is kept under this name. */
const place = 'teller.bank.reset';

/** So many customers are counted from events before the report is asked again. */
const mostCounted = 1_000;

/**
 * Shows the screen.
 * @param {Element} main
 * @param {object} app - What the page gives to each screen.
 * @returns {Promise<() => void>} Ends the screen.
 */
export async function show(main, app) {
  const settings = await app.api.get('screens/bank/settings');
  const day = new Day(settings.departments);
  const screen = new Screen(main, app, settings, day);
  screen.begin();
  return () => screen.end();
}

/**
 * A day: from the moment that somebody waits until nobody waits or is served any more. Its times are the coordinator's.
 * Several departments are busy at once; the day has ended when all of them have.
 */
class Day {
  /** When the day began; null: it has not, or it was reset. */
  since = null;
  /** When it ended; null: it goes on. */
  until = null;
  /** When everything was set back to zero; 0: never. */
  reset;

  /** Until when the reset went on: whoever was served by then is being cancelled. */
  #resetUntil = 0;
  #departments;

  constructor(departments) {
    this.#departments = departments;
    this.reset = readReset();
  }

  get isOpen() {
    return this.since !== null && this.until === null;
  }

  /** How long it has lasted, at a moment of the coordinator's clock. */
  length(nowMs) {
    return this.since === null ? 0 : Math.max(0, (this.until ?? nowMs) - this.since);
  }

  /** Takes over what the board says. Returns `began`, `ended`, or null. */
  take(board) {
    const resets = board.operations.filter((one) => one.action === 'reset');
    if (resets.length > 0) {
      this.setBack(Math.max(...resets.map((one) => one.started_ms)));
      this.#resetUntil = board.at_ms;
      return null;
    }
    const own = board.departments.filter((one) => this.#departments.includes(one.status.name));
    const busy = own.filter((one) => Number.isFinite(one.busy_since_ms));
    if (busy.length > 0) return this.#goOn(Math.min(...busy.map((one) => this.#beginning(one))));
    const last = own.filter((one) => one.last_busy_since_ms > this.reset);
    if (this.isOpen) return this.#finish(Math.max(this.since, ...last.map((one) => one.last_busy_until_ms)));
    if (this.since === null) this.#recall(last);
    return null;
  }

  /** Sets everything back to zero. What began before does not count. */
  setBack(atMs) {
    if (atMs <= this.reset) return;
    this.reset = atMs;
    keepReset(atMs);
    [this.since, this.until] = [null, null];
  }

  // Customers who came after a reset may still meet some of before: then the day begins with the first of the new ones.
  #beginning({ busy_since_ms: since, waiting = [], running = [] }) {
    if (since > this.reset) return since;
    const later = [
      ...waiting.map((row) => row.since_ms),
      ...running.map((row) => row.started_ms).filter((ms) => ms > this.#resetUntil),
    ];
    return Math.min(...later.filter((ms) => ms > this.reset));
  }

  // Infinity: all that is there is of the time before the reset, and is being cancelled.
  #goOn(since) {
    if (since === Infinity) return null;
    if (this.isOpen) {
      this.since = Math.min(this.since, since);
      return null;
    }
    [this.since, this.until] = [since, null];
    return 'began';
  }

  #finish(until) {
    this.until = until;
    return 'ended';
  }

  // The last day has ended before this browser looked. Of several departments the last one to end tells which it was.
  #recall(last) {
    if (last.length === 0) return;
    this.until = Math.max(...last.map((one) => one.last_busy_until_ms));
    this.since = this.until;
    for (const one of [...last].sort((first, second) => second.last_busy_until_ms - first.last_busy_until_ms)) {
      if (one.last_busy_until_ms >= this.since) this.since = Math.min(this.since, one.last_busy_since_ms);
    }
  }
}

/** The screen with its parts. */
class Screen {
  #app;
  #settings;
  #day;
  /** When customers were served who are not in the report yet. */
  #served = [];
  /** Whether a board has come, and whether events have counted the day from its beginning. */
  #hasLooked = false;
  #isCounting = false;
  #report;
  #plan;
  #views;
  #offs = [];
  #timer = null;
  #lastPress = -Infinity;
  #operation = null;
  #clock;

  constructor(main, app, settings, day) {
    const { h } = app.dom;
    [this.#app, this.#settings, this.#day] = [app, settings, day];
    this.#clock = h('p', { class: 'bank-clock', role: 'timer', 'aria-label': 'Clock' });
    const [top, numbers, lists, report, plan] = Array.from({ length: 5 }, () => h('div'));
    main.replaceChildren(top, h('div', { class: 'bank-standing' }, this.#clock, numbers), lists, report, plan);
    this.#report = new app.Source(() => this.#askReport(), { draw: () => this.#draw() });
    this.#plan = new app.Source(() => app.api.get(`plans/${encodeURIComponent(settings.plan)}`), {
      draw: () => this.#draw(),
    });
    this.#views = [
      new app.View(top, () => this.#top()),
      new app.View(numbers, () => this.#numbers()),
      new app.View(lists, () => this.#lists()),
      new app.View(report, () => this.#closing()),
      new app.View(plan, () => this.#opening()),
    ];
  }

  begin() {
    const { live } = this.#app;
    live.watch(this.#settings.departments);
    this.#offs = [
      live.on('board', (board) => this.#takeBoard(board)),
      live.on('events', (events) => this.#takeEvents(events)),
    ];
    this.#timer = setInterval(() => this.#drawClock(), tick);
    this.#plan.refresh();
    if (live.board) this.#takeBoard(live.board);
  }

  end() {
    for (const off of this.#offs) off();
    for (const view of this.#views) view.end();
    clearInterval(this.#timer);
    this.#report.end();
    this.#plan.end();
  }

  #draw() {
    for (const view of this.#views) view.draw();
  }

  #takeBoard(board) {
    const change = this.#day.take(board);
    if (change === 'began') this.#begin();
    this.#hasLooked = true;
    // A day that began before is counted by the report; so is one that has ended, as events may be skipped.
    const isUncounted = this.#day.since !== null && !this.#isCounting && this.#report.at === null;
    if (change === 'ended' || (isUncounted && !this.#report.isBusy)) this.#report.refresh();
    this.#draw();
  }

  #takeEvents(events) {
    for (const event of events) {
      if (event.plan === this.#settings.plan) this.#plan.refreshSoon(300);
      const isServed = event.event === 'succeeded' && this.#settings.departments.includes(event.department);
      if (isServed && event.at_ms > this.#day.reset) this.#served.push(event.at_ms);
    }
    if (this.#served.length > mostCounted && !this.#report.isBusy) this.#report.refresh();
    this.#draw();
  }

  /** How the customers of this day were served, by department; null: no day has begun. */
  async #askReport() {
    if (this.#day.since === null) return null;
    const report = await this.#app.api.get('report', { since_ms: this.#day.since });
    // Whoever was served by then is in the report.
    this.#served = this.#served.filter((ms) => ms > (report.until_ms ?? 0));
    return report.lines.filter((line) => this.#settings.departments.includes(line.department));
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
    const {
      dom: { h },
      words,
    } = this.#app;
    const sum = (read) => this.#departments().reduce((whole, one) => whole + read(one.status), 0);
    return h(
      'dl',
      { class: 'bank-numbers' },
      [
        ['Waiting', sum((status) => status.held - status.delayed - status.dependent + status.queued)],
        ['Being served', sum((status) => status.running)],
        ['Served', this.#servedCustomers()],
      ].map(([name, value]) => h('div', { key: name }, h('dt', null, name), h('dd', null, words.number(value)))),
    );
  }

  // Those of the report, and those of the events since then.
  #servedCustomers() {
    if (this.#day.since === null) return 0;
    return (this.#report.value ?? []).reduce((sum, line) => sum + line.succeeded, this.#served.length);
  }

  #buttons() {
    const {
      actions,
      dom: { h },
    } = this.#app;
    if (!actions.areAllowed) return h('p', { class: 'soft' }, 'You may only look.');
    const add = () => {
      this.#lastPress = performance.now();
      actions.once('bank add', () => this.#add());
    };
    return h(
      'div',
      { class: 'acts' },
      h(
        'button',
        { class: 'main', key: 'add', onclick: add },
        `Add ${this.#settings.customers === 10 ? 'ten' : this.#settings.customers}`,
      ),
      actions.button('Reset …', () => this.#reset(), { key: 'bank reset', className: 'danger' }),
    );
  }

  // Further presses find this one under way, until the answer has come and the burst is over.
  async #add() {
    const { customers } = this.#settings;
    await this.#app.actions.sendTo('screens/bank/add', { customers });
    this.#app.notice.tell(`${this.#app.words.count(customers, 'customer')} came in.`, 'good');
    for (let rest = this.#rest(); rest > 0; rest = this.#rest())
      await new Promise((resolve) => setTimeout(resolve, rest));
  }

  #rest() {
    return this.#lastPress + burst - performance.now();
  }

  async #reset() {
    const { actions, api, confirm, notice, operations, words } = this.#app;
    const found = await api.get('count', { action: 'reset' });
    const waits = found.held + found.queued;
    const plans = found.plans > 0 ? `, and so ${found.plans === 1 ? 'is' : 'are'} ${words.count(found.plans, 'plan')}` : '';
    const isSure = await confirm({
      title: `Reset ${words.count(found.jobs, 'job')}: ${words.number(waits)} wait, ${words.number(found.running)} run?`,
      text:
        `All of them are cancelled, in all departments${plans}: those that wait, ` +
        'and those that are served. The numbers and the clock are set back.',
      action: 'Reset',
      danger: true,
    });
    if (!isSure) return;
    const begun = await actions.send('reset', {});
    this.#setBack(begun.started_ms);
    const done = await operations.follow(api, begun, (state) => {
      this.#operation = state;
      this.#draw();
    });
    this.#operation = null;
    notice.tell(`Reset: ${operations.outcomeWords(done)}.`, 'good');
    this.#draw();
  }

  #setBack(atMs) {
    this.#day.setBack(atMs);
    this.#forget();
    this.#draw();
  }

  /** A day begins before these eyes: events count its customers. A report may be ahead of the board. */
  #begin() {
    this.#isCounting = this.#hasLooked;
    this.#served = this.#served.filter((ms) => ms >= this.#day.since);
    [this.#report.value, this.#report.at] = [null, null];
  }

  #forget() {
    this.#served = [];
    [this.#report.value, this.#report.at] = [null, null];
  }

  #lists() {
    const {
      dom: { h },
    } = this.#app;
    return h(
      'div',
      { class: 'lanes' },
      this.#list(
        'Waiting',
        'waiting',
        [
          { title: 'Since', className: 'number', cell: (row) => this.#app.parts.ticking('lasting', row.since_ms) },
          { title: 'For', cell: (row) => (row.hold ? this.#app.states.holdWords(row.hold) : 'a teller') },
        ],
        'Nobody waits.',
      ),
      this.#list(
        'Being served',
        'running',
        [
          { title: 'By', cell: (row) => this.#app.parts.foreign(row.worker_name ?? row.worker ?? '–') },
          { title: 'For', className: 'number', cell: (row) => this.#app.parts.ticking('lasting', row.started_ms) },
        ],
        'Nobody is served.',
      ),
    );
  }

  #list(title, name, further, empty) {
    const { link, parts, table, words } = this.#app;
    const rows = this.#departments().flatMap((one) =>
      (one[name] ?? []).map((row) => ({ ...row, department: one.status.name })),
    );
    return parts.section(
      title,
      `bank-${name}`,
      table({
        caption: title,
        items: rows,
        key: (row) => row.job,
        limit: laneRows,
        empty,
        columns: [
          {
            title: 'Customer',
            isHeader: true,
            cell: (row) => link(`/jobs/${encodeURIComponent(row.job)}`, words.number(row.number)),
          },
          { title: 'Wants', cell: (row) => parts.foreign(row.kind) },
          ...further,
        ],
      }),
    );
  }

  #closing() {
    const {
      dom: { h },
      parts,
      table,
      words,
    } = this.#app;
    const lines = this.#report.value;
    if (!lines || lines.length === 0 || this.#day.until === null) return null;
    const makespan = this.#day.length();
    const ideal = Math.max(...lines.map((line) => this.#ideal(line)));
    return parts.section(
      'Closing report',
      'bank-report',
      h(
        'p',
        { class: 'lead' },
        `${words.count(this.#servedCustomers(), 'customer')} served in ${seconds(makespan)}. Ideal ${seconds(ideal)}`,
        ideal > 0 ? `, ratio ${(makespan / ideal).toFixed(3)}.` : '.',
      ),
      table({
        caption: 'Closing report',
        items: lines,
        key: (line) => line.department,
        limit: laneRows,
        empty: '',
        columns: [
          { title: 'Department', isHeader: true, cell: (line) => parts.foreign(line.department) },
          { title: 'Tellers', className: 'number', cell: (line) => words.number(this.#tellers(line)) },
          { title: 'Served', className: 'number', cell: (line) => words.number(line.succeeded) },
          { title: 'Failed', className: 'number', cell: (line) => words.number(line.failed) },
          { title: 'Cancelled', className: 'number', cell: (line) => words.number(line.cancelled) },
          { title: 'Waited, median', className: 'number', cell: (line) => words.duration(line.waited_ms?.p50) },
          { title: 'Longest wait', className: 'number', cell: (line) => words.duration(line.waited_ms?.max) },
          { title: 'Ideal', className: 'number', cell: (line) => seconds(this.#ideal(line)) },
        ],
      }),
      h(
        'p',
        { class: 'soft' },
        'The ideal: no teller is idle while a customer waits, and only the service takes time.',
      ),
    );
  }

  #tellers(line) {
    return this.#app.live.department(line.department)?.status.tellers ?? 0;
  }

  #ideal(line) {
    const tellers = this.#tellers(line);
    return tellers > 0 && line.ran_ms ? Math.ceil((line.succeeded + line.failed) / tellers) * line.ran_ms.p50 : 0;
  }

  #opening() {
    const {
      dom: { h },
      link,
      parts,
      states,
    } = this.#app;
    const { plan } = this.#settings;
    if (this.#plan.error)
      return parts.section('Opening', 'bank-opening', h('p', { class: 'problem' }, this.#plan.error.message));
    if (!this.#plan.value) return null;
    const { phase, steps } = this.#plan.value;
    return parts.section(
      ['Opening ', states.badge(phase)],
      'bank-opening',
      h(
        'ol',
        { class: 'bank-steps' },
        [...steps]
          .sort((one, other) => one.rank - other.rank)
          .map((step) =>
            h(
              'li',
              { key: step.job ?? `${step.rank} ${step.name}` },
              h('span', { class: 'rank' }, step.rank),
              ' ',
              parts.foreign(step.name),
              ' ',
              states.badge(step.state, step.round > 1 ? `round ${step.round}` : null),
              step.required ? null : h('span', { class: 'soft' }, ' optional'),
            ),
          ),
      ),
      h('p', null, link(`/plans/${encodeURIComponent(plan)}`, 'The whole plan')),
    );
  }
}

/** `1:02.7` of 62,740 milliseconds. */
function clockText(ms) {
  const tenths = Math.floor(ms / 100);
  const two = (value) => String(value).padStart(2, '0');
  return `${Math.floor(tenths / 600)}:${two(Math.floor(tenths / 10) % 60)}.${tenths % 10}`;
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(2)} s`;
}

// A browser may refuse to keep anything: then a reset is known as long as the screen is shown.
function readReset() {
  try {
    return Number(localStorage.getItem(place) ?? 0);
  } catch {
    return 0;
  }
}

function keepReset(atMs) {
  try {
    localStorage.setItem(place, String(atMs));
  } catch {
    /* Nothing is kept. */
  }
}
