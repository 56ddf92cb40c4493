/** Who waits, and who is being served. */

/** The most rows of each list. The server sends no more. */
const laneRows = 50;

/** Both lists of some departments. */
export function lists(app, departments) {
  const { parts, states } = app;
  return app.dom.h(
    'div',
    { class: 'lanes' },
    list(app, departments, 'Waiting', 'waiting', 'Nobody waits.', [
      { title: 'Waits', className: 'number', cell: (row) => parts.ticking('lasting', row.since_ms) },
      { title: 'For', cell: (row) => (row.hold ? states.holdWords(row.hold) : 'a teller') },
    ]),
    list(app, departments, 'Being served', 'running', 'Nobody is served.', [
      { title: 'By', cell: (row) => parts.foreign(row.worker_name ?? row.worker ?? '–') },
      { title: 'Served for', className: 'number', cell: (row) => parts.ticking('lasting', row.started_ms) },
    ]),
  );
}

function list({ link, parts, table, words }, departments, title, name, empty, further) {
  const customer = (row) => link(`/jobs/${encodeURIComponent(row.job)}`, words.number(row.number));
  return parts.section(
    title,
    `bank-${name}`,
    table({
      caption: title,
      items: departments.flatMap((one) => one[name] ?? []),
      key: (row) => row.job,
      limit: laneRows,
      empty,
      columns: [
        { title: 'Customer', isHeader: true, cell: customer },
        { title: 'Wants', cell: (row) => parts.foreign(row.kind) },
        ...further,
      ],
    }),
  );
}
