import AuditSupport
import JobModel

/// An attempt is cut short, and a death is counted, only where there is a cause: a worker that had begun the job, or
/// had asked for it, was cut off; or messages are gone.
struct BlameRules {
  let world: World
  let ledger: LedgerFindings
  private let runs: [JobID: [Run]]
  private let cutOffs: [Int32: [CutOff]]

  init(_ world: World, _ ledger: LedgerFindings) {
    (self.world, self.ledger) = (world, ledger)
    runs = Dictionary(grouping: world.runs, by: \.job)
    cutOffs = world.cutOffs.reduce(into: [:]) { cutOffs, cutOff in
      if let pid = cutOff.pid { cutOffs[pid, default: []].append(cutOff) }
    }
  }

  /// What is wrong.
  func check() -> [String] {
    // What was gone with messages or with a ledger may have been anything.
    if world.isRolledBack || world.otherLedgerServed || !world.wipes.isEmpty { return [] }
    return report("have more deaths than workers that died of them", jobs { $1.deaths > mostDeaths(of: $0) })
      + report(
        "were cut short, and nobody who had begun them, or asked for them, was cut off",
        areMessagesLost ? [] : jobs { $1.attempts.values.contains("interrupted") && !hasCause($0) })
      + report(
        "with one attempt ended as lost, and nobody who had asked for them was cut off",
        areMessagesLost ? [] : jobs { $1.errorCode == "lost" && !hasCause($0) })
  }

  private var areMessagesLost: Bool { world.allowances.contains(.lostMessages) }

  private func jobs(_ isWrong: (JobID, LedgerFindings.Job) -> Bool) -> [JobID] {
    ledger.jobs.filter { isWrong($0.key, $0.value) }.map(\.key)
  }

  private func mostDeaths(of job: JobID) -> Int {
    runs[job, default: []].count(where: wasCutOff) + claimsCutOff(of: job) + world.allowances.deathsOfNobody
  }

  private func hasCause(_ job: JobID) -> Bool {
    runs[job, default: []].contains(where: wasCutOff) || claimsCutOff(of: job) > 0
  }

  /// How often somebody has asked for a job who was cut off at some time: whether it was begun then, nobody may know.
  private func claimsCutOff(of job: JobID) -> Int {
    world.claims[job, default: []].count { cutOffs[$0] != nil }
  }

  /// How long after its end a run is reported at the latest, where nothing keeps its worker from it.
  private static let patience: Duration = .seconds(30)

  private func wasCutOff(_ run: Run) -> Bool {
    cutOffs[run.pid, default: []].contains { cutOff in
      (cutOff.until ?? run.began) >= run.began
        && cutOff.from <= (run.ended ?? cutOff.from) + BlameRules.patience
    }
  }

  private func report(_ what: String, _ jobs: [JobID]) -> [String] {
    guard !jobs.isEmpty else { return [] }
    let some = jobs.sorted { $0.description < $1.description }.prefix(Checker.named).map(detail)
    return ["\(jobs.count) jobs \(what): \(some.joined(separator: ", "))"]
  }

  private func detail(_ job: JobID) -> String {
    let recorded = ledger.jobs[job]
    let runs = runs[job, default: []].map { "attempt \($0.attempt) in \($0.pid)" }
    return "\(job) [runs \(runs), asked for by \(world.claims[job, default: []]), deaths \(recorded?.deaths ?? 0), "
      + "attempts \(recorded?.attempts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" } ?? [])]"
  }
}
