/** Numbers, durations and moments in words. */

const numbers = new Intl.NumberFormat('en');
const percents = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 });
const timeOfDay = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const dayAndTime = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const fullDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'medium' });

/** `1,204`; a dash for no number. */
export function number(value) {
  return Number.isFinite(value) ? numbers.format(value) : '–';
}

/** `8 %` of 80 thousandths. */
export function permille(value) {
  return percents.format(value / 1000).replace('%', ' %');
}

/** `1 job`, `1,204 jobs`. */
export function count(value, one, many = `${one}s`) {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** A duration in the two largest units that it fills: `250 ms`, `1.5 s`, `3 min 20 s`, `2 h`, `3 d 4 h`. */
export function duration(milliseconds) {
  if (!Number.isFinite(milliseconds)) return '–';
  return together(exact(milliseconds));
}

function exact(milliseconds) {
  const whole = Math.max(0, Math.floor(milliseconds));
  const seconds = Math.floor(whole / 1000);
  if (seconds < 1) return `${whole} ms`;
  if (seconds < 60) return seconds + (whole % 1000 >= 100 ? `.${Math.floor((whole % 1000) / 100)} s` : ' s');
  return longDuration(seconds);
}

/** The same without parts of a second, for a duration that goes on: it changes once a second. */
export function age(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return together(seconds < 60 ? `${seconds} s` : longDuration(seconds));
}

/** A number and its unit stay on one line. */
function together(text) {
  return text.replaceAll(' ', '\u00a0');
}

function longDuration(seconds) {
  const rest = (value, unit) => (value > 0 ? ` ${value} ${unit}` : '');
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min${rest(seconds % 60, 's')}`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h${rest(Math.floor((seconds % 3600) / 60), 'min')}`;
  return `${numbers.format(Math.floor(seconds / 86_400))} d${rest(Math.floor((seconds % 86_400) / 3600), 'h')}`;
}

/** A rate in the unit that gives a number of one or more: `12/s`, `3.5/min`, `8/h`. */
export function rate(perHour) {
  const [value, unit] =
    perHour >= 3600 ? [perHour / 3600, 's'] : perHour >= 60 ? [perHour / 60, 'min'] : [perHour, 'h'];
  return `${numbers.format(value < 10 ? Math.round(value * 10) / 10 : Math.round(value))}/${unit}`;
}

/** Words of a program as a sentence for people: `no worker serves it` becomes `No worker serves it.` */
export function sentence(text) {
  if (!text) return '';
  const whole = text[0].toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(whole) ? whole : `${whole}.`;
}

/** A size in bytes: `512 B`, `2.4 KB`. */
export function size(bytes) {
  if (!Number.isFinite(bytes)) return '–';
  return bytes < 1000 ? `${bytes} B` : `${numbers.format(Math.round(bytes / 100) / 10)} KB`;
}

/** A moment in the reader's time zone, without the day if that is today. */
export function moment(milliseconds) {
  const date = new Date(milliseconds);
  const isToday = date.toDateString() === new Date().toDateString();
  return (isToday ? timeOfDay : dayAndTime).format(date);
}

/** A moment with its day and its offset from UTC. */
export function fullMoment(milliseconds) {
  const date = new Date(milliseconds);
  return `${fullDate.format(date)} ${offset(date)}`;
}

/** The reader's time zone: `Europe/Zurich, UTC+02:00`. */
export function zone() {
  const name = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const now = offset(new Date());
  return name && name !== 'UTC' ? `${name}, ${now}` : now;
}

function offset(date) {
  const minutes = -date.getTimezoneOffset();
  const two = (value) => String(value).padStart(2, '0');
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
