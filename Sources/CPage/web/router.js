/** Which screen an address shows. Links are real ones; a click on them changes only what differs. */

/** The screens by their paths. `:name` is one part of a path. */
const routes = [
  ['', 'overview.js'],
  ['departments/:name', 'department.js'],
  ['jobs', 'jobs.js'],
  ['jobs/:id', 'job.js'],
  ['failed', 'failed.js'],
  ['plans', 'plans.js'],
  ['plans/:name', 'plan.js'],
  ['workers', 'workers.js'],
  ['schedules', 'schedules.js'],
  ['keys', 'keys.js'],
  ['rejected', 'rejected.js'],
  ['webhooks', 'webhooks.js'],
  ['report', 'report.js'],
  ['actions', 'record.js'],
];

/** Finds the screen of a path behind the prefix; null: there is none. */
export function findRoute(path, screens) {
  const parts = path.split('/').filter(Boolean);
  const added = screens.find((screen) => screen.path === parts.join('/'));
  if (added) return { script: added.script, style: added.style, parameters: {} };
  for (const [pattern, script] of routes) {
    const parameters = match(pattern.split('/').filter(Boolean), parts);
    if (parameters) return { script: `./${script}`, style: null, parameters };
  }
  return null;
}

function match(pattern, parts) {
  if (pattern.length !== parts.length) return null;
  const parameters = {};
  for (const [index, name] of pattern.entries()) {
    if (name.startsWith(':')) {
      const value = decode(parts[index]);
      if (value === null) return null;
      parameters[name.slice(1)] = value;
    } else if (name !== parts[index]) {
      return null;
    }
  }
  return parameters;
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** The address of a path with a query, behind a prefix. Members without a value are left out. */
export function addressOf(prefix, path, query = {}) {
  const parameters = new URLSearchParams(
    Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  );
  const text = parameters.toString();
  return `${prefix}${path}${text ? `?${text}` : ''}`;
}

/** The path of an address behind the prefix; null: the address is another one. */
export function pathOf(prefix, url) {
  if (url.origin !== location.origin) return null;
  if (url.pathname === prefix) return '/';
  return url.pathname.startsWith(`${prefix}/`) ? url.pathname.slice(prefix.length) : null;
}

/** Whether a click on a link is one that the page itself follows: not a new tab, not a download. */
export function isPlainClick(event) {
  return (
    event.button === 0 &&
    !event.metaKey &&
    !event.ctrlKey &&
    !event.shiftKey &&
    !event.altKey &&
    !event.defaultPrevented
  );
}
