import Foundation
import JobModel
import JobTransport
import Teller

/// Answers the questions of the page by asking the coordinator, and the broker. Each answer is what the commands print with
/// `--json`.
struct Questions: Sendable {
  let client: TellerClient
  let settings: PageSettings

  /// Answers the question of that path.
  ///
  /// - Returns: nil when there is no such question.
  /// - Throws: `PageProblem`, `TellerError` and others, which `PageProblem` reads.
  func answer(_ path: [String], _ query: inout Query, for person: PagePerson) async throws -> PageAnswer? {
    let rest = Array(path.dropFirst())
    switch (path.first, rest.count) {
    case ("jobs", 1...2): return try await job(rest, &query, person)
    case ("plans", 1): return try await plan(rest[0], &query)
    case ("operations", 1): return try await operation(rest[0], &query)
    case ("keys", 1) where rest == ["one"]: return try await key(&query)
    case (let name?, 0): return try await list(name, &query)
    default: return nil
    }
  }

  private func list(_ name: String, _ query: inout Query) async throws -> PageAnswer? {
    switch name {
    case "status": try await status(query)
    case "board": try await board(&query)
    case "jobs": try .json(await client.jobs(try jobs(&query)))
    case "count": try await count(&query)
    case "failures": try .json(await client.failures(try failures(&query)))
    case "plans": try .json(await client.plans(try plans(&query)))
    case "events": try .json(await client.events(try events(&query)))
    case "workers": try .json(await client.workers(try workers(&query)))
    case "schedules": try await schedules(&query)
    case "keys": try .json(await client.keys(try keys(&query)))
    case "subscribers": try .json(await client.subscribers(try subscribers(&query)))
    case "report": try await report(&query)
    case "rejected": try await rejected(&query)
    case "actions": try .json(await client.actions(try actions(&query)))
    default: nil
    }
  }

  private func status(_ query: Query) async throws -> PageAnswer {
    try query.end()
    return try .json(await client.status())
  }

  private func board(_ query: inout Query) async throws -> PageAnswer {
    let departments = try query.departments(atMost: HubLimits.departments)
    let rows = try query.limit(HubLimits.rows)
    try query.end()
    return try .json(await client.board(BoardQuery(departments: departments, limit: rows)))
  }

  private func count(_ query: inout Query) async throws -> PageAnswer {
    let action = try query.needed("action", "cancel, replay, drop or reset") { JobOperation.Action(rawValue: $0) }
    let (department, kind) = (try query.department(), try query.kind())
    let filter = JobNarrowing(
      state: try query.word("state", JobState.self), error: try query.text("error"), key: try query.text("key"),
      plan: try query.job("plan"), since: try query.moment("since_ms"), until: try query.moment("until_ms"))
    try query.end()
    return try .json(await client.count(.of(department, kind).only(filter), for: action))
  }

  /// All of them: a file has few.
  private func schedules(_ query: inout Query) async throws -> PageAnswer {
    let after = try query.text("after") ?? ""
    try query.end()
    return try .json(SchedulePage(schedules: await client.schedules().filter { $0.name > after }, next: nil))
  }

  private func operation(_ number: String, _ query: inout Query) async throws -> PageAnswer {
    try query.end()
    guard let number = Int64(number) else { throw PageProblem.invalid("an operation has a whole number") }
    return try .json(await client.operation(number))
  }

  private func key(_ query: inout Query) async throws -> PageAnswer {
    let kind = try query.needed("kind", "the name of a kind") { JobKind($0) }
    let key = try query.needed("key", "the key") { $0 }
    try query.end()
    var status = try await client.key(JobKey(kind: kind, key: key))
    // It is shown with its job, to those who ask for it.
    status.hideResult()
    return try .json(status)
  }

  private func report(_ query: inout Query) async throws -> PageAnswer {
    let (since, plan, department) = (
      try query.moment("since_ms"), try query.job("plan"), try query.department()
    )
    try query.end()
    if let plan { return try .json(await client.report(plan: plan, department: department)) }
    // Without a moment it is about all that the ledger has.
    return try .json(await client.report(since: since ?? Date(timeIntervalSince1970: 0), department: department))
  }

  private func rejected(_ query: inout Query) async throws -> PageAnswer {
    let limit = try query.limit(settings.limits.rejected)
    try query.end()
    guard (1...RejectedQueue.mostMessages).contains(limit) else {
      throw PageProblem.invalid("\"limit\" is \((1...RejectedQueue.mostMessages).written)")
    }
    let visit = try await RejectedVisit.ofPage(client)
    return try .json(await visit.messages(atMost: limit) { _, messages in messages.map { RejectedDocument($0) } })
  }
}

extension RejectedVisit {
  /// A visit on a connection of its own: the broker ends the connection of a user who may not read the queue.
  static func ofPage(_ client: TellerClient) async throws -> RejectedVisit {
    try client.configuration.checkEncryption()
    return RejectedVisit(await client.presentBroker, name: "teller page rejected")
  }
}
