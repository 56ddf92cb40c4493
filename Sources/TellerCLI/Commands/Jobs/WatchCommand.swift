import ArgumentParser
import Foundation
import JobModel
import JobTransport
import Teller

struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Prints what happens to jobs, plans and departments, an event a line.",
    discussion: """
      The broker keeps these events. Each is printed once and in order, even if the connection is lost meanwhile:

        succeeded, failed, cancelled  a job or a plan has ended
        event_kept, event_acted, event_announced, event_dismissed
                                      an event of a plan
        attempt_failed                a job is tried again
        passed_over, went_back        a step of a plan
        paused, resumed               a department
        parked                        a submission was refused
        rule_failed                   a rule could not make its job
        key_freed                     only if `notify` in teller.yaml says so

      `notify` in teller.yaml says which of the last eight are told. The broker does not keep these, and they may be missing:

        started                       a handler has been running for a moment
        progress                      a handler says how far it has come
        accepted, released            only if `live` in teller.yaml says so

      All of these but started are printed only if --event names them; progress at most once a second for each job.

      An event is printed when it passes every filter. Each filter takes several values. Ctrl-C ends the command.

      With --name the coordinator keeps the place of the last event that was printed: at most once a second, and after Ctrl-C \
      or SIGTERM. After such an end none is printed again; after a kill those of the last second may be. `teller subscribers` \
      lists the names.

      With --json one object a line: "event", "job", "kind", "department", "attempt", "at_ms", \
      "epoch", "seq", "offset", "started_ago_ms", "run_ms", "error", "plan", "name", "key", "retry_at_ms", "progress" (from 0 \
      to 1), "text". A member without a value is left out. The events that the broker does not keep \
      have no "epoch", "seq" and "offset".

      EXAMPLES:
        teller watch --since start --department loan
        teller watch --kind letter --event failed cancelled
        teller watch --department print --event progress
        teller watch --job 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
        teller watch --name audit --since start --json
      """
  )

  @Option(
    help: """
      The place where to begin: start, now, a moment, or the place behind an event. A moment is 2026-11-26T09:00:00Z, or \
      1h for an hour ago by this machine's clock. The event is named by its SEQ, EPOCH/SEQ or EPOCH/SEQ/OFFSET.
      """)
  var since = WatchStart.now

  @Option(
    help: """
      A name by which the coordinator keeps the place: the next watch of that name goes on behind the last event that this \
      one has printed, and --since counts only the first time.
      """)
  var name: SubscriberName?

  @OptionGroup var filter: EventFilterOptions

  @Flag(name: .shortAndLong, help: "Print one JSON object a line.")
  var json = false

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await global.withClient("watch") { client in
      if let name { return try await follow(name, client) }
      let events = try await client.events(since: try await start(client), matching: filter.filter)
      // After the watch has begun, so that no event is missed.
      try await check(filter.department, client)
      for try await event in events where try !print(event) { return }
    }
  }

  /// Prints events, and keeps the place of the last one that is printed: also when a signal comes.
  private func follow(_ name: SubscriberName, _ client: TellerClient) async throws {
    let events = try await client.events(named: name, since: try await start(client), matching: filter.filter)
    try await check(filter.department, client)
    let (end, isInterrupted) = await StopSignals.interrupting {
      await Result(ofAwaiting: { () async throws(any Error) in
        // The next event is asked for when this one is with its reader.
        for try await event in events where try !print(event) { return }
      })
    }
    let printed = Result { try end.get() }
    do {
      try await events.finish(lastIsHandled: Output.isRead)
    } catch let error as TellerError {
      // Why the events ended tells more.
      if !isInterrupted { try printed.get() }
      throw Failure(
        ExitStatus(error), "the place of \(name) is not kept, and the last events come again: \(error.description)")
    }
    if isInterrupted { throw Failure(.interrupted) }
    try printed.get()
  }

  /// - Returns: Whether anybody reads on: the reader, such as `head`, may have read enough.
  private func print(_ event: Teller.JobEvent) throws -> Bool {
    if json { try Output.json(EventLine(event)) } else { Output.line(EventLine.text(event)) }
    return Output.isRead
  }

  /// Refuses a department that does not exist: there would never be an event. Without a coordinator any name is taken, and
  /// the events of the stream are shown.
  private func check(_ departments: [Department], _ client: TellerClient) async throws {
    if departments.isEmpty { return }
    let names: [String]
    do {
      names = try await client.status().departments.map(\.department.name)
    } catch is TellerError {
      return
    }
    guard let department = departments.first(where: { !names.contains($0.name) }) else { return }
    let meant = Suggestion.question(for: department.name, in: names)
    throw Failure(.unknownJob, "there is no department \"\(department)\"\(meant)")
  }

  private func start(_ client: TellerClient) async throws -> EventStart {
    switch since {
    case .start: .start
    case .now: .now
    case .after(let position): .after(position)
    case .since(let since): .at(since.moment(now: Timestamp(Date())).date)
    case .afterNumber(let number):
      .after(EventPosition(epoch: try await client.status().epoch, sequence: number))
    }
  }
}

/// Where a watch begins, as an argument.
enum WatchStart: ExpressibleByArgument, Equatable {
  case start, now
  case after(EventPosition)
  case since(SinceArgument)
  /// In the ledger's present epoch.
  case afterNumber(Int64)

  init?(argument: String) {
    switch argument {
    case "start": self = .start
    case "now": self = .now
    default:
      if let position = EventPosition(argument) {
        self = .after(position)
      } else if let number = Int64(argument), number >= 0 {
        self = .afterNumber(number)
      } else if let since = SinceArgument(argument: argument) {
        self = .since(since)
      } else {
        return nil
      }
    }
  }

  var defaultValueDescription: String { "now" }
}

extension EventLine {
  /// An event for people.
  static func text(_ event: Teller.JobEvent) -> String {
    let words = [
      Moments.iso(event.at), event.position?.description ?? "live",
      Colors.output.paint(event.change.name.onOneLine, style(of: event.change)),
    ]
    let about = [
      event.department?.name, event.kind?.name, event.job?.description, event.attempt.map { "attempt \($0)" },
      event.plan.map { "plan \($0)" }, event.name.map { "\"\($0.onOneLine)\"" },
      event.key.map { "key \"\($0.onOneLine)\"" }, event.ran.map { "ran \($0.inWords)" },
      event.failure?.description.onOneLine, event.retryAt.map { "again at \(Moments.iso($0))" },
      event.progress.map(RunProgressText.words),
    ]
    return (words + about.compactMap { $0 }).joined(separator: "  ")
  }

  private static func style(of change: Teller.JobEvent.Change) -> Style? {
    switch change {
    case .started: .good
    case .failed, .ruleFailed: .bad
    case .attemptFailed, .passedOver, .wentBack, .paused, .parked, .received(.announced): .warning
    case .accepted, .released, .progress, .succeeded, .cancelled, .resumed, .keyFreed, .received, .other: nil
    }
  }
}
