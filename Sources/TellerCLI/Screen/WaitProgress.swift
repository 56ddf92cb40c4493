import Foundation
import JobTransport
import Synchronization
import Teller

/// The line of a command that waits for jobs: how far the job has come that has said so last.
final class WaitProgress: Sendable {
  /// How often the line is rewritten.
  static let interval: Duration = .milliseconds(500)

  /// The progress at one moment.
  struct State {
    /// How many jobs are waited for.
    var jobs: Int
    var ended: Set<JobID> = []
    /// The last word, and the job it is about; nil: there is none, or that job has ended.
    var latest: (job: JobID, progress: RunProgress)?

    mutating func say(_ progress: RunProgress, of job: JobID) {
      if !ended.contains(job) { latest = (job, progress) }
    }

    mutating func end(_ job: JobID) {
      ended.insert(job)
      if latest?.job == job { latest = nil }
    }

    /// Nil: nothing is shown.
    func line(now: Date) -> String? {
      guard let latest else { return nil }
      let bar = RunProgressText.bar(latest.progress, now: now)
      return jobs > 1 ? "\(ended.count) of \(jobs) ended  \(latest.job)  \(bar)" : bar
    }
  }

  private let state: Mutex<State>

  private init(jobs: Int) { state = Mutex(State(jobs: jobs)) }

  /// The job has ended: nothing more is shown of it.
  func ended(_ job: JobID) {
    state.withLock { $0.end(job) }
    redraw()
  }

  private func redraw() { Output.progress(state.withLock { $0.line(now: Date()) }) }

  /// Shows the line until the body ends, then takes it away. Without a terminal there is none, and the body is given nil.
  static func shown<Value: Sendable, Failure: Error>(
    of jobs: [JobID], by client: TellerClient, isWanted: Bool,
    while body: (WaitProgress?) async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard isWanted, TerminalSize.progressColumns != nil else { return try await body(nil) }
    let progress = WaitProgress(jobs: jobs.count)
    let following = Task {
      // A user who may not watch waits without the line.
      try? await client.followProgress(of: jobs) { job, said in progress.state.withLock { $0.say(said, of: job) } }
    }
    let showing = Task {
      while !Task.isCancelled {
        progress.redraw()
        try? await Task.sleep(for: interval)
      }
    }
    let result = await Result<Value, Failure>(ofAwaiting: { () async throws(Failure) in try await body(progress) })
    following.cancel()
    showing.cancel()
    // After its last line, which would stay otherwise.
    await showing.value
    Output.progress(nil)
    return try result.get()
  }
}
