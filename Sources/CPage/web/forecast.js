/** The forecast of a department in plain words. */

import { count, duration, number, permille, rate } from './words.js';

/** Fewer samples make no forecast. */
const fewestSamples = 30;

const silences = {
  few_samples: (forecast) => `No forecast yet: ${number(forecast.samples)} of ${fewestSamples} samples.`,
  no_tellers: () => 'No forecast: nobody serves it.',
  blocked: () => 'No forecast: the jobs that wait have no handler, or are suspects.',
  closed: () => 'No forecast while it is closed.',
};

const courses = {
  silent: (forecast) => (silences[forecast.reason] ?? (() => 'No forecast.'))(forecast),
  idle: () => 'Nothing waits.',
  drains: (forecast) =>
    `The jobs of now are done in ${duration(forecast.drains_in_ms)}` +
    `${withOneMore(forecast.drains_in_with_one_more_ms, 'in ')}. ` +
    `With those that come meanwhile no job waits in ${duration(forecast.empties_in_ms)}.`,
  grows: (forecast) =>
    forecast.grows_per_hour > 0
      ? `Grows by ${rate(forecast.grows_per_hour)}, will not drain.`
      : 'As many come as can be served: it will not drain.',
  steady: (forecast) =>
    `A job waits ${duration(forecast.wait_ms)} on average${withOneMore(forecast.wait_with_one_more_ms, '')}.`,
};

/** `The jobs of now are done in 4 min; with one teller more in 3 min. With those that come …` */
export function forecastWords(forecast) {
  return courses[forecast?.course]?.(forecast) ?? 'No forecast.';
}

/** How wrong the last forecasts were; null: none has come to its end. */
export function pastWords(forecast) {
  const past = forecast?.past;
  if (!past?.count) return null;
  return `Its last ${count(past.count, 'forecast')} ${past.count === 1 ? 'was' : 'were'} off by ${permille(
    past.median_permille,
  )}, at worst by ${permille(past.worst_permille)}.`;
}

/** Load and rates behind the forecast; null: too little is known. */
export function loadWords(forecast) {
  if (!forecast || forecast.course === 'silent' || !Number.isFinite(forecast.load_permille)) return null;
  return `Load ${permille(forecast.load_permille)}: ${rate(forecast.accepted_per_hour)} come, ${rate(
    forecast.capacity_per_hour,
  )} can be served.`;
}

/** Whether somebody should look: the backlog grows. */
export function isWorrying(forecast) {
  return forecast?.course === 'grows';
}

function withOneMore(ms, before) {
  return Number.isFinite(ms) ? `; with one teller more ${before}${duration(ms)}` : '';
}
