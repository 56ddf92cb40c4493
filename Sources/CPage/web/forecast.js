/** The forecast of a department in plain words. */

import { count, duration, number, permille, rate } from './words.js';

/** Fewer samples make no forecast. */
const fewestSamples = 30;

const silences = {
  few_samples: (forecast) => `No forecast yet: ${number(forecast.samples)} of ${fewestSamples} samples.`,
  no_tellers: () => 'No forecast: no worker serves it.',
  blocked: () => 'No forecast: the jobs that wait have no handler, or are suspects.',
  closed: (_, status) =>
    status?.configured === false ? 'Closed: teller.yaml does not name it.' : 'No forecast while it is closed.',
  unsteady: () => 'No forecast: fewer ended in the last minute than the runs before promise.',
};

const courses = {
  silent: (forecast, status) => (silences[forecast.reason] ?? (() => 'No forecast.'))(forecast, status),
  idle: (_, status) => (status?.retrying > 0 ? 'All jobs wait for their next attempt.' : 'No job waits or runs.'),
  drains: (forecast) => `Backlog clears in ${drainTime(forecast)}${withArrivals(forecast)}.`,
  grows: (forecast) =>
    `${growth(forecast.grows_per_hour)} The present jobs are done in ${drainTime(forecast)}.`,
  steady: (forecast) =>
    Number.isFinite(forecast.wait_ms)
      ? `A job waits ${duration(forecast.wait_ms)} on average${withOneMore(forecast.wait_with_one_more_ms)}.`
      : 'Keeps up.',
};

/** `4 min (3 min with one more teller)`. */
function drainTime(forecast) {
  return `${duration(forecast.drains_in_ms)}${withOneMore(forecast.drains_in_with_one_more_ms)}`;
}

function growth(perHour) {
  return perHour > 0
    ? `Grows by ${rate(perHour)}, will not drain.`
    : 'As many jobs come as can be served: it will not drain.';
}

/** `, in 5 min if jobs keep coming like this`: only where that is another time for people. */
function withArrivals({ drains_in_ms: now, empties_in_ms: later }) {
  if (!Number.isFinite(later) || duration(later) === duration(now) || later < now) return '';
  return `, in ${duration(later)} if jobs keep coming like this`;
}

/** `Backlog clears in 4 min (3 min with one more teller), in 5 min if jobs keep coming like this.` */
export function forecastWords({ forecast, status }) {
  return courses[forecast?.course]?.(forecast, status) ?? 'No forecast.';
}

/** How wrong the last forecasts were; null: none has come to its end. */
export function pastWords(forecast) {
  const past = forecast?.past;
  if (!past?.count) return null;
  return `Its last ${count(past.count, 'forecast')} ${past.count === 1 ? 'was' : 'were'} off by ${permille(
    past.median_permille,
  )}, at worst by ${permille(past.worst_permille)}.`;
}

/** Load and rates behind the forecast, the load only where the last minute bears it out; null: too little is known. */
export function loadWords(forecast) {
  if (!forecast || forecast.course === 'silent' || !forecast.capacity_per_hour) return null;
  const served = `${rate(forecast.capacity_per_hour)} can be served.`;
  if (!Number.isFinite(forecast.load_permille)) return served;
  return `Load ${permille(forecast.load_permille)}: ${rate(forecast.accepted_per_hour)} come, ${served}`;
}

/** Whether somebody should look: the backlog grows. */
export function isWorrying(forecast) {
  return forecast?.course === 'grows';
}

function withOneMore(ms) {
  return Number.isFinite(ms) ? ` (${duration(ms)} with one more teller)` : '';
}
