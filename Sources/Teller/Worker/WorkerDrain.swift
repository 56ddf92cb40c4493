import AMQP
import AsyncAlgorithms
import Decisions
import JobModel
import JobTransport
import Logging

/// How a worker stops: a drain lets what runs or is claimed finish, a close does not.
extension WorkerLoop {
  /// Takes nothing new, gives back what is neither started nor claimed, finishes what runs. Open claims are asked until
  /// they are answered, and run if they are granted: for as long as the coordinator is away, they hold the drain. So do
  /// handlers that are stuck. `ended` tells when.
  func drain() {
    guard !isDraining else { return }
    isDraining = true
    logger.notice(
      """
      draining: \(tray.running.count) jobs still run, \(tray.openClaims.count) wait for the coordinator's word; a second \
      signal stops at once
      """)
    link?.staffingDue.raise()
    // Nobody is to count on it for what comes from now on.
    link?.presenceDue.raise()
    endIfDrained()
  }

  /// Ends a drain when nothing is claimed, runs, is being reported, or is still to be given back.
  func endIfDrained() {
    guard isDraining, end == nil, jobs.isEmpty, !tellers.hasConsumers, !tellers.hasWaiting else { return }
    end = endOfDrain
    ended.raise()
  }

  /// Tells the coordinator that nothing of this worker is to be waited for, if there is a connection to tell it on.
  func sayGoodbye() async {
    guard let link else { return }
    let message = PresenceCodec.encode(presence(isGoodbye: true))
    let said = WorkerSignal()
    let goodbye = Task {
      do {
        try await link.publishing.publish(message)
      } catch {
        logger.debug("the goodbye was not sent: \(error)")
      }
      said.raise()
    }
    // A broker that takes nothing more must not keep the process: closing the connection ends the task as well.
    await firstOf(said, or: timeouts.goodbye)
    goodbye.cancel()
  }

  /// Stops everything at once; what handlers still do is not waited for. Returns how many jobs are unfinished.
  func close() -> Int {
    watch?.cancel()
    for job in jobs.values {
      job.run?.cancel(.closed)
      job.grace?.cancel()
    }
    threads.close()
    return jobs.values.count { $0.run != nil }
  }

  private func firstOf(_ signal: WorkerSignal, or limit: Duration) async {
    await withTaskGroup { group in
      group.addTask { for await _ in signal.raised { break } }
      group.addTask { for await _ in AsyncTimerSequence(interval: limit, clock: .continuous) { break } }
      await group.next()
      group.cancelAll()
    }
  }
}
