import Teller

func watchAll(with client: TellerClient) async throws {
  for try await event in try await client.events(since: .now) {
    print(event.at, event)
  }
}

/// A database that keeps what it was told, and how far it was told.
protocol Journal: Sendable {
  func lastPosition() async throws -> EventPosition?
  /// Writes both in one transaction.
  func write(_ event: JobEvent, upTo position: EventPosition) async throws
}

func follow(with client: TellerClient, into journal: some Journal) async throws {
  var start = EventStart.start
  if let position = try await journal.lastPosition() { start = .after(position) }
  for try await event in try await client.events(since: start) {
    guard let position = event.position else { continue }
    try await journal.write(event, upTo: position)
  }
}

func followFromNow(with client: TellerClient, into journal: some Journal) async throws {
  do {
    try await follow(with: client, into: journal)
  } catch TellerError.eventsMissing(let last, let next) {
    print("the events between \(last) and \(next) are no longer kept")
  }
}

func audit(until last: JobKind, with client: TellerClient) async throws {
  let events = try await client.events(named: "audit", since: .start)
  for try await event in events {
    print(event)
    if event.kind == last { break }
  }
  try await events.finish()
}

func countFailures(of kind: JobKind, with client: TellerClient) async throws {
  var failures = 0
  let failed = EventFilter(events: ["failed"], kinds: [kind])
  for try await _ in try await client.events(since: .start, matching: failed) {
    failures += 1
    print(failures)
  }
}
