import JobModel
import JobTransport
import Logging

/// What a worker does whose process can have no further thread: attempts without one fail, and are tried again later.
extension WorkerLoop {
  /// How long an attempt waits for a thread of its department while no further one can be started.
  static let threadPatience: Duration = .seconds(10)
  /// How long a job waits at least whose attempt had no thread: for its worker to recover, or for another one to be free.
  static let shortagePause: Duration = .seconds(10)

  /// Ends the attempts that have waited for a thread for too long, while none can be started; and says so once. Others of
  /// their department run on.
  func lookForThreads() {
    threads.tryAgain()
    let shortages = threads.shortages
    logShortages(shortages)
    let now = ContinuousClock.now
    for run in runs.values {
      guard let shortage = shortages[run.start.department] else { continue }
      if shortage.isTotal || now - run.startedAt >= WorkerLoop.threadPatience { giveUp(run, shortage) }
    }
  }

  func giveUp(_ run: RunningHandler, _ shortage: HandlerThreads.Shortage) {
    guard run.control.giveUp() else { return }
    logShortages([run.start.department: shortage])
    let assignment = run.start.assignment
    var hint =
      state.policy(of: assignment)?.hint(afterAttempt: assignment.attempt, random: .random(in: 0...1)) ?? RetryHint()
    hint.atLeast = WorkerLoop.shortagePause
    finishedRuns.append(
      FinishedAttempt(
        release: assignment.release, token: assignment.token, ledger: assignment.ledger, startedAt: run.startedAt,
        ran: .zero, result: .failed(.noThread(shortage.reason), isPermanent: false), hint: hint))
  }

  private func logShortages(_ shortages: [Department: HandlerThreads.Shortage]) {
    let isNew = starved.isEmpty && !shortages.isEmpty
    if isNew, let (department, shortage) = shortages.min(by: { $0.key.name < $1.key.name }) {
      logger.error(
        """
        no thread can be started for handlers of \(department): \(shortage.reason); attempts without one fail until \
        it can
        """)
    }
    if !starved.isEmpty, shortages.isEmpty { logger.notice("threads for handlers can be started again") }
    starved = Set(shortages.keys)
  }
}

extension JobFailure {
  /// The worker's process can have no further thread.
  fileprivate static func noThread(_ reason: String) -> JobFailure {
    JobFailure(
      code: Code.noThread,
      message:
        "its worker can start no thread for it: \(reason); look at the limits of its process, machine or container")
  }
}
