/** How many customers this day has served: those of the report, and those of the events since then. */

/** So many customers are counted from events before the report is asked again. */
const mostCounted = 1_000;

/** The customers of the present day. */
export class Served {
  #app;
  #departments;
  #day;
  /** When customers were served who are not in the report yet. */
  #moments = [];
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
    return this.#report.value;
  }

  /** How many there are. */
  get customers() {
    if (this.#day.since === null) return 0;
    return (this.lines ?? []).reduce((sum, line) => sum + line.succeeded, this.#moments.length);
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
      if (isServed && event.at_ms > this.#day.reset) this.#moments.push(event.at_ms);
    }
    if (this.#moments.length > mostCounted && !this.#report.isBusy) this.#report.refresh();
  }

  /** Everything was set back. */
  forget() {
    this.#moments = [];
    this.#forgetReport();
  }

  /** Asks no more. */
  end() {
    this.#report.end();
  }

  // A day begins before these eyes: events count its customers. A report may be ahead of the board.
  #begin() {
    this.#isCounting = this.#hasLooked;
    this.#moments = this.#moments.filter((ms) => ms >= this.#day.since);
    this.#forgetReport();
  }

  #forgetReport() {
    [this.#report.value, this.#report.at] = [null, null];
  }

  /** How the customers of this day were served, by department; null: no day has begun. */
  async #ask() {
    if (this.#day.since === null) return null;
    const report = await this.#app.api.get('report', { since_ms: this.#day.since });
    // Whoever was served by then is in the report.
    this.#moments = this.#moments.filter((ms) => ms > (report.until_ms ?? 0));
    return report.lines.filter((line) => this.#departments.includes(line.department));
  }
}
