/** The closing report of a day that has ended: how long it took, beside the ideal. */

/** The most departments. */
const lineLimit = 50;

/** The report; null while the day goes on, and while there is none. */
export function closing(app, day, served) {
  const lines = served.lines;
  if (!lines || lines.length === 0 || day.until === null) return null;
  const { h } = app.dom;
  return app.parts.section(
    'Closing report',
    'bank-report',
    h('p', { class: 'lead' }, summary(app, day, served.customers, lines)),
    app.table({
      caption: 'Closing report',
      items: lines,
      key: (line) => line.department,
      limit: lineLimit,
      empty: '',
      columns: columns(app),
    }),
    h(
      'p',
      { class: 'soft' },
      'The ideal: no teller is idle while a customer waits, and only the service takes time.',
    ),
  );
}

function summary(app, day, customers, lines) {
  const makespan = day.length();
  const best = Math.max(...lines.map((line) => ideal(app, line)));
  const ratio = best > 0 ? `, ratio ${(makespan / best).toFixed(3)}` : '';
  return `${app.words.count(customers, 'customer')} served in ${seconds(makespan)}. Ideal ${seconds(best)}${ratio}.`;
}

function columns(app) {
  const { parts, words } = app;
  const number = (title, cell) => ({ title, className: 'number', cell });
  return [
    { title: 'Department', isHeader: true, cell: (line) => parts.foreign(line.department) },
    number('Tellers', (line) => words.number(tellers(app, line))),
    number('Served', (line) => words.number(line.succeeded)),
    number('Failed', (line) => words.number(line.failed)),
    number('Cancelled', (line) => words.number(line.cancelled)),
    number('Waited, median', (line) => words.duration(line.waited_ms?.p50)),
    number('Longest wait', (line) => words.duration(line.waited_ms?.max)),
    number('Ideal', (line) => seconds(ideal(app, line))),
  ];
}

function tellers(app, line) {
  return app.live.department(line.department)?.status.tellers ?? 0;
}

/**
 * The shortest time in which the tellers could have served these customers, in milliseconds: as `bank day` computes it, in
 * rounds, since all customers of a department take equally long.
 */
function ideal(app, line) {
  const staff = tellers(app, line);
  const count = line.succeeded + line.failed;
  return staff > 0 && count > 0 && line.ran_ms ? Math.ceil(count / staff) * (line.ran_ms.sum / count) : 0;
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(2)} s`;
}
