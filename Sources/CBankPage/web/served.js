/** How many customers this day has served: those of the report, and those of the events since then. */

/** So many customers are counted from events before the report is asked again. */
const mostCounted = 1_000;

/** The customers of the present day. */
export class Served {
  #app;
  #departments;
  #day;
  /** The events that tell of a customer who was served. */
  #served = [];
  /** Whether a board has come, and whether events have counted the day from its beginning. */
  #hasLooked = false;
  #isCounting = false;
  #report;

  /** @param {object} app @param {string[]} departments @param {Day} day @param {() => void} draw */
  constructor(app, departments, day, draw) {
    [this.#app, this.#departments, this.#day] = [app, departments, day];
    this.#report = new app.Source(() => this.#ask(), { draw });
  }

  /** The lines of the report, one for each department; null: there is none yet. */
  get lines() {
    return this.#report.value?.lines ?? null;
  }

  /** How many there are. */
  get customers() {
    if (this.#day.since === null) return 0;
    return (this.lines ?? []).reduce((sum, line) => sum + line.succeeded, this.#unreported().length);
  }

  /** Takes a new board. `change`: what it has changed about the day. */
  takeBoard(change) {
    if (change === 'began') this.#begin();
    this.#hasLooked = true;
    // A day that began before is counted by the report; so is one that has ended, as events may be skipped.
    const isUncounted = this.#day.since !== null && !this.#isCounting && this.#report.at === null;
    if (change === 'ended' || (isUncounted && !this.#report.isBusy)) this.#report.refresh();
  }

  /** Takes events. */
  takeEvents(events) {
    for (const event of events) {
      const isServed = event.event === 'succeeded' && this.#departments.includes(event.department);
      if (isServed && event.at_ms > this.#day.reset) this.#served.push(event);
    }
    this.#served = this.#unreported();
    if (this.#served.length > mostCounted && !this.#report.isBusy) this.#report.refresh();
  }

  /** Everything was set back. */
  forget() {
    this.#served = [];
    this.#report.forget();
  }

  /** Asks no more. */
  end() {
    this.#report.end();
  }

  // A day begins before these eyes: events count its customers. A report may be ahead of the board.
  #begin() {
    this.#isCounting = this.#hasLooked;
    this.#served = this.#served.filter((event) => event.at_ms >= this.#day.since);
    this.#report.forget();
  }

  // Events come before the report that has them, and after it.
  #unreported() {
    const place = this.#report.value?.place;
    return place ? this.#served.filter((event) => this.#app.isAfter(event, place)) : this.#served;
  }

  /** How the customers of this day were served, by department; null: no day has begun. */
  async #ask() {
    if (this.#day.since === null) return null;
    const { lines, epoch, through } = await this.#app.api.get('report', { since_ms: this.#day.since });
    const place = { epoch, seq: through };
    return { lines: lines.filter((line) => this.#departments.includes(line.department)), place };
  }
}
