import AuditSupport
import Bookkeeping
import JobModel

// How far jobs have come: each run of a handler says of which release it is, and by which token it runs.
extension CoordinatorNode {
  /// How many of a batch are looked at.
  private static let looked = 3

  /// How many of a hundred presences with runs.
  private static let presences = 8

  /// What was just heard counts only for the present run of its job.
  func checkProgress(in messages: [PresenceMessage]) async throws {
    for case .presence(let presence) in messages where world.chance(CoordinatorNode.presences) {
      for running in presence.running.prefix(CoordinatorNode.looked) {
        try await checkProgress(of: running.release.job)
      }
    }
    for case .progress(let news) in messages {
      world.sometimes.note(.progressTold)
      for run in news.runs.prefix(CoordinatorNode.looked) { try await checkProgress(of: run.release.job) }
    }
  }

  /// A job is shown to have come as far as its present run has said; one whose present run has said nothing shows nothing.
  func checkProgress(of job: JobID) async throws {
    guard phase == .serving, let shown = try await books.showJob(job)?.progress else { return }
    guard let run = try file.reading.presentRun(of: job) else { return }
    let present = World.progressText(release: run.release, token: run.token)
    guard world.isForeign(shown.text, of: job, present: present) else { return }
    world.failures.append(
      "\(name) shows of \(job) the progress of run \(shown.text ?? "nobody"), and its present run is \(present)")
  }
}

extension World {
  /// What a handler says of its run.
  static func progressText(release: Int, token: Int) -> String { "\(release)/\(token)" }

  /// Whether what is shown of a job is not what its present run has said.
  func isForeign(_ shown: String?, of job: JobID, present: String) -> Bool {
    shown != present || !saidProgress.contains("\(job) \(present)")
  }
}

// The worker's side.
extension ScriptedRun {
  /// How many of a hundred runs say how far they have come.
  private static let tellers = 35

  /// Some handlers say how far they have come, again and again.
  func tellProgressSometimes() { if world.chance(ScriptedRun.tellers) { tellProgress(later: .milliseconds(5)) } }

  private func tellProgress(later delay: Duration) {
    node.after(delay, "has come further with \(release)") { [self] in
      guard !isOver else { return }
      let text = World.progressText(release: release.number, token: token)
      world.saidProgress.insert("\(release.job) \(text)")
      let run = WorkerProgress.Run(release: release, token: token, RunProgress(world.fraction, text))
      node.tell(WorkerProgress(worker: node.worker, runs: [run]))
      tellProgress(later: .milliseconds(world.number(100...1_500)))
    }
  }
}
