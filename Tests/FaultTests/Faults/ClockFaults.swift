import AuditSupport
import Foundation
import JobModel
import SystemSupport
import Teller
import TestSupport

/// What can befall the wall clock of one side: it is set back and forward by two minutes and by a day, while jobs wait,
/// run, are delayed, scheduled and cancelled, and may run once only.
extension Fault {
  /// Whose clock is set.
  enum Side: String, Sendable {
    case coordinator, workers, client
  }

  /// How long the clock stays as it was set.
  static let stay: Duration = .seconds(3)

  static func clock(of side: Side) -> Fault {
    Fault(name: "clock of the \(side.rawValue): ±1 day, ±2 min", setting: .clock(side)) { stage in
      try await ClockScene(stage: stage).play(side)
    } heal: { stage in
      try await stage.clock().set(ahead: .zero)
      try await ClockScene(stage: stage).end()
    }
  }
}

/// Jobs of department `other`, of which one worker runs one after the other: they wait in its queue while the clock is
/// set, for longer than a lease.
private struct ClockScene {
  static let jobs = 10

  let stage: Stage

  func play(_ side: Fault.Side) async throws {
    try await stage.startWorker(departments: ["other=1"])
    submitWaiting(ClockScene.jobs)
    await stage.customers.follow(keyed(), Wanted(key: ClockScene.key))
    let client = try await launchClient()
    var before = Duration.zero
    for time in SteppedClock.steps {
      let line = try await stage.serving().nextLineNumber
      try await stage.clock().set(ahead: time)
      if side == .coordinator {
        let lines = ["this machine's clock was set"] + (time < before ? ["fired by a clock that was ahead"] : [])
        for text in lines {
          try await stage.serving().waitForLine(containing: text, since: line, within: TellerSystem.limit)
        }
      }
      submitWaiting(1)
      submitScheduled()
      // The clock stays so for a while: nothing tells that nothing happens.
      try await Task.sleep(for: Fault.stay)
      if side == .coordinator, abs(time / .seconds(1)) > 1_000 { try await restartCoordinator() }
      if side == .coordinator, time > before { try await expectFiring(at: time) }
      before = time
    }
    await stage.customers.follow(keyed(), Wanted(key: ClockScene.key))
    let ended = try await client.process.waitForExit(within: TellerSystem.longLimit)
    for operation in client.operations { stage.history.end(operation, .ok(nil)) }
    // What became of its jobs is for the checker: with 1 it says that one has failed.
    guard ended <= 1 else {
      throw StageError(what: "the client ended with \(ended): \(client.process.lines.suffix(3))")
    }
  }

  /// The clock was set forward: what the schedule has missed is made up for, up to the last minute that the clock shows.
  private func expectFiring(at time: Duration) async throws {
    let shown = Timestamp.now() + time
    let minute = Timestamp(milliseconds: shown.milliseconds / 60_000 * 60_000)
    let fired = JobID(schedule: "minutely", firedAt: minute)
    try await eventually("the schedule fires", within: TellerSystem.longLimit) {
      try await stage.readLedger().states(of: [fired]).count == 1
    }
  }

  /// What was cancelled while it waited has not begun, whatever became of the clock.
  func end() async throws {
    let waiting = await stage.waiting
    try await eventually("what waited has ended", within: TellerSystem.longLimit) {
      let states = try await stage.readLedger().states(of: waiting.keys)
      return waiting.keys.allSatisfy { states[$0, default: 0] >= LedgerState.succeeded }
    }
    let cancelled = try await stage.readLedger().states(of: waiting.keys).filter { job, state in
      waiting[job] == true && state == LedgerState.cancelled
    }
    let begun = Set(stage.system.effects.map(\.job)).intersection(cancelled.keys.map(\.description))
    guard begun.isEmpty, !cancelled.isEmpty else {
      throw StageError(what: "of \(cancelled.count) jobs that were cancelled in their queue, \(begun.count) began")
    }
    await stage.note("\(cancelled.count) cancelled in their queue, \(waiting.count) waited")
  }

  private static let key = "clock"

  private func keyed() -> JobSubmission<JSONValue> {
    var submission = effect(ms: 20, in: "work")
    submission.key = ClockScene.key
    return submission
  }

  private func effect(ms: Int, in department: Department) -> JobSubmission<JSONValue> {
    JobSubmission(
      kind: "effect", payload: Array(#"{"timed": true, "ms": \#(ms)}"#.utf8), department: department, attempts: 1)
  }

  /// Some of them are taken back as soon as they are accepted: such that wait for some time.
  private func submitWaiting(_ count: Int) {
    for number in 0..<count {
      var errand = Load.Errand(submission: effect(ms: Load.long, in: "other"))
      errand.isCancelled = number > 4 && number % 2 == 1
      if errand.isCancelled { errand.wanted.outcomes = [.succeeded, .cancelled] }
      Task { [errand, stage] in
        await stage.willWait(errand.submission.id, isCancelled: errand.isCancelled)
        await stage.customers.run(errand)
      }
    }
  }

  /// One that waits for a moment of the coordinator's clock, and one that waits for a while.
  private func submitScheduled() {
    var (moment, span) = (effect(ms: 20, in: "work"), effect(ms: 20, in: "work"))
    moment.runAt = Date(timeIntervalSinceNow: 2)
    moment.startWithin = .seconds(600)
    span.delay = .seconds(2)
    span.startWithin = .seconds(600)
    Task { [moment, span, stage] in
      async let one: Void = stage.customers.follow(moment)
      async let other: Void = stage.customers.follow(span, Wanted(delay: .seconds(2)))
      _ = await (one, other)
    }
  }

  /// The next one reads the ledger by a clock that is a day off.
  private func restartCoordinator() async throws {
    try await stage.endCoordinator(by: SIGKILL)
    try await stage.startCoordinator()
  }

  /// A command line whose jobs wait, too, and which waits for them.
  private func launchClient() async throws -> (process: RunningProcess, operations: [Int]) {
    let ids = (0..<8).map { _ in JobID() }
    let lines = ids.enumerated().map { number, id in
      let hold = number % 2 == 0 ? #", "delay": "8s", "start_within": "10m""# : #", "key": "client-\#(number)""#
      return #"{"kind": "effect", "id": "\#(id)", "attempts": 1, "payload": {"timed": true, "ms": 1500}\#(hold)}"#
    }
    let operations = ids.enumerated().compactMap { number, id in
      let wanted = number % 2 == 0 ? Wanted(delay: .seconds(8)) : Wanted(key: "client-\(number)")
      return stage.history.submit(id, wanted)
    }
    let file = stage.system.folder.appending("client-batch")
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
    let process = try await stage.launchClient(["submit", "--batch", file.path, "--wait", "--within", "280s"])
    return (process, operations)
  }
}

extension Stage.Setting {
  /// What stands in the configuration beside departments and kinds: where a clock is set, also what goes by it.
  var configuration: String {
    guard case .clock = self else { return "" }
    return """
      schedules:
        minutely: {cron: "* * * * *", kind: effect, payload: {timed: true}, attempts: 1, missed: all}
      retention: {time: 12h}

      """
  }
}
