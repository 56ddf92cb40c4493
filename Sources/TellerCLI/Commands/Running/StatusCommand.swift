import ArgumentParser
import Foundation
import JobModel
import Teller

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows the departments, the workers, and the coordinator's connection to the broker.",
    discussion: """
      The columns of a department:

        WAITING       jobs that wait for their turn, a teller or a handler
        OLDEST        how long the oldest of them has waited (see below)
        RETRYING      jobs whose attempt failed, and that wait for the next one
        LATER         jobs that wait for their time, or for other jobs
        WORKING       jobs that run, as far as the coordinator knows
        IN/S, OUT/S   jobs accepted, and ended, per second over the last minute
        DONE          jobs that succeeded
        FAILED        failed jobs that were neither replayed nor dropped

      WAITING, RETRYING and LATER together are all jobs that have not ended and do not run.

      OLDEST counts from the acceptance, or from the time that the job was scheduled for.

      The last column tells whether the department is not configured any more, ordered or paused, its cap, how many jobs a worker takes ahead, and \
      how many jobs are special:

        tellers stuck their handlers were told to stop and have not
        next retry    when the next of RETRYING may run; the error of most
        delayed       held until a time
        dependent     held until other jobs have ended
        waiting for a handler   held until a worker has a handler for the kind
        suspect       ran when a worker died; such jobs run one at a time
        void          cancelled or re-ranked; the message is still in the queue

      Other lines:

        stuck         a job whose handler ignores a cancel or a timeout
        ignored       reports about attempts that were taken back, or jobs that
                      had ended
        not allowed   messages of users who may not send them (see the log)
        taken back    messages that the broker took off their queue, mostly
                      because of a policy (see the log)
        missing       a queue was gone, with the messages that waited in it:
                      a policy with expires, or a person, deleted it

      A stuck job keeps its teller until the handler ends or its worker is restarted.

      \(WatchOptions.help) With --watch --json one object for each answer.

      With --json one object: "ledger", "epoch", "coordinator" {"started_ms", "version", "ignored_reports", "not_allowed", \
      "dead_letters" [{"queue", "reason", "count"}] (left out when there are none)}, \
      "broker" {"state": connected, blocked or lost}, "departments" [{"name", "configured" (false, else left out), "ordered", "paused", "window", "cap", "ahead", "tellers", \
      "stuck_tellers" (left out when there are none), "waiting", "retrying", "next_retry" {"at_ms", "error"} (left out when there is none), "held", "delayed", "restored", "dependent", \
      "unserved", "suspects", "void", "queued", "running", "succeeded", "failed", "unsettled", "cancelled", \
      "accepted_last_minute", "ended_last_minute", "oldest_waiting_ms" (left out when no job waits)}], "workers" [{"id", "name", \
      "tellers", "paused", "running", "in_hand" (left out when there is none), "stuck" [at most 20 of the jobs], "stuck_count", "draining", "told_to_drain", \
      "last_seen_ms"}], "handlers" [{"department", "kind", "jobs", "with", "without", "did_you_mean"}], "operations" (commands \
      about many jobs that go on, as `teller operation --json` prints them).

      EXAMPLES:
        teller status
        teller status --watch --interval 5s
      """
  )

  @OptionGroup var watching: WatchOptions

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    if watching.watch { return try await showAgainAndAgain() }
    try await answer.show("status", { try await $0.status() }) {
      StatusText.lines($0, now: Date(), width: TerminalSize.columns)
    }
  }

  private func showAgainAndAgain() async throws {
    var timeouts = ClientTimeouts.forPeople
    timeouts.request = LiveView<TellerStatus>.patience
    try await answer.global.withClient("status", timeouts: timeouts, isQuiet: true) { client in
      let view = LiveView(interval: watching.pause, json: answer.json) {
        try await client.status()
      } lines: { status, width in
        StatusText.lines(status, now: Date(), width: width)
      }
      try await view.run()
    }
  }
}

/// The status for people.
enum StatusText {
  static func lines(_ status: TellerStatus, now: Date, width: Int?) -> [String] {
    let since = Moments.text(status.coordinator.started, now: now)
    let ignored = status.coordinator.ignoredReports
    let refused = status.coordinator.notAllowed
    return [
      "coordinator \(status.coordinator.version), since \(since)",
      "ledger      \(status.ledger), epoch \(status.epoch)",
      "broker      "
        + Colors.output.paint(status.broker.state.rawValue, status.broker.state == .connected ? nil : .bad),
    ] + (ignored > 0 ? ["ignored     \(ignored) reports"] : [])
      + (refused > 0 ? ["not allowed \(refused) messages"] : []) + deadLetters(status.coordinator) + [""]
      + departments(status.departments, now: now).lines(width: width ?? .max) + [""]
      + (status.workers.isEmpty ? ["no workers"] : workers(status.workers).lines(width: width ?? .max))
      + paragraph(restored(status.departments)) + paragraph(stuck(status.workers))
      + paragraph(status.handlers.map(handler))
      + paragraph(status.operations.map(OperationText.line))
  }

  private static func deadLetters(_ coordinator: CoordinatorStatus) -> [String] {
    (coordinator.deadLetters ?? []).map { Colors.output.paint(line($0), .warning) }
  }

  private static func line(_ count: DeadLetterCount) -> String {
    let queue = count.queue.onOneLine
    if count.reason == DeadLetterCause.missing { return "missing     \(queue) was gone, with what waited in it" }
    return "taken back  \(count.count) of \(queue): \(count.reason.onOneLine)"
  }

  /// The lines with an empty one before them; nothing for none.
  private static func paragraph(_ lines: [String]) -> [String] { lines.isEmpty ? [] : [""] + lines }

  private static func departments(_ departments: [DepartmentStatus], now: Date) -> Table {
    var table = Table(
      "DEPARTMENT", "TELLERS", "WAITING", "OLDEST", "RETRYING", "LATER", "WORKING", "IN/S", "OUT/S", "DONE", "FAILED",
      "CANCELLED", "")
    for department in departments.sorted(by: { $0.department < $1.department }) {
      let cells = [
        department.department.name, String(department.tellers), String(department.waiting),
        department.oldestWaiting?.inWords ?? "–", String(department.retrying),
        String(department.delayed + department.dependent), String(department.running), rate(department.acceptedRate),
        rate(department.endedRate), String(department.succeeded), String(department.unsettled),
        String(department.cancelled), remarks(department, now: now),
      ]
      let isClosed = department.isPaused || !department.gates.isEmpty || department.refused != nil
      let style = department.stuckTellers > 0 ? Style.bad : isClosed ? .warning : nil
      table.add(cells, styles: style.map { [cells.count - 1: $0] } ?? [:])
    }
    return table
  }

  /// An operator has to decide about them, however long that takes.
  private static func restored(_ departments: [DepartmentStatus]) -> [String] {
    let count = departments.reduce(0) { $0 + $1.restored }
    guard count > 0 else { return [] }
    let line =
      "restored: \(count == 1 ? "1 job" : "\(count.grouped) jobs") may have run before the restore of the ledger: "
      + "`teller restore accept` or `teller restore drop`"
    return [Colors.output.paint(line, .warning)]
  }

  /// A rate per second, as exact as a person needs: `0`, `0.02`, `0.2`, `3.5`, `13`, `1,234`.
  static func rate(_ perSecond: Double) -> String {
    if perSecond == 0 { return "0" }
    let digits = perSecond < 0.095 ? 2 : perSecond < 9.95 ? 1 : 0
    if digits == 0 { return Int(perSecond.rounded()).grouped }
    return String(format: "%.\(digits)f", perSecond)
  }

  /// The last column of a department: what is special about it.
  private static func remarks(_ department: DepartmentStatus, now: Date) -> String {
    let counts = [
      ("delayed", department.delayed), ("restored", department.restored), ("dependent", department.dependent),
      ("waiting for a handler", department.unserved), ("suspect", department.suspects), ("void", department.void),
    ]
    let remarks =
      [
        department.stuckTellers > 0 ? "\(department.stuckTellers) of \(department.tellers) tellers stuck" : nil,
        department.refused.map { "out, as the broker refuses: \($0)" },
        department.isConfigured ? nil : "not configured", department.isOrdered ? "ordered" : nil,
        department.isPaused ? "paused" : nil,
        department.gates.isEmpty ? nil : "gated by \(department.gates.map(\.name).joined(separator: ", "))",
        department.cap.map { "cap \($0)" }, department.ahead.map { "ahead \($0)" },
        department.nextRetry.map { nextRetry($0, now: now) },
      ].compactMap { $0 } + counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
    return remarks.joined(separator: ", ")
  }

  /// `next retry in 2 min: connection_refused`.
  static func nextRetry(_ retry: NextRetry, now: Date) -> String {
    let wait = Duration.milliseconds(Int64(max(0, retry.time.timeIntervalSince(now)) * 1_000))
    return "next retry \(wait < .seconds(1) ? "now" : "in \(wait.inWords)")"
      + (retry.error.map { ": \($0.code)" } ?? "")
  }

  private static func workers(_ workers: [WorkerStatus]) -> Table {
    var table = Table("WORKER", "TELLERS", "WORKING", "IN HAND", "LAST HEARD", "")
    for worker in workers.sorted(by: { $0.name < $1.name }) {
      table.add(
        worker.name, WorkersText.tellers(of: worker), String(worker.running), String(worker.inHand),
        "\(worker.silence.inWords) ago",
        worker.isDraining || worker.isToldToDrain ? WorkersText.state(of: worker) : "")
    }
    return table
  }

  /// A kind without a handler in some worker.
  private static func handler(_ kind: HandlerStatus) -> String {
    let jobs = "\(kind.jobs) \(kind.jobs == 1 ? "job" : "jobs") of kind \(kind.kind) in \(kind.department)"
    let lacking = kind.without.map(\.onOneLine).joined(separator: ", ")
    if kind.with.isEmpty {
      let meant = kind.suggestion.map { "; did you mean \($0)?" } ?? ""
      let asked = lacking.isEmpty ? "" : " (\(lacking))"
      return "handler: \(jobs): no worker has a handler\(asked)\(meant)"
    }
    return "handler: \(jobs): only \(kind.with.map(\.onOneLine).joined(separator: ", ")), not \(lacking)"
  }

  private static func stuck(_ workers: [WorkerStatus]) -> [String] {
    workers.sorted { $0.name < $1.name }.flatMap { worker in
      let rest = worker.stuckCount - worker.stuck.count
      let lines =
        worker.stuck.map { "stuck: job \($0) on \(worker.name.onOneLine)" }
        + (rest > 0 ? ["stuck: \(rest) more jobs on \(worker.name.onOneLine)"] : [])
      return lines.map { Colors.output.paint($0, .bad) }
    }
  }
}
