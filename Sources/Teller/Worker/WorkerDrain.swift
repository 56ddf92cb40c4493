import AMQP
import Decisions
import JobModel
import JobTransport
import Logging

/// The end of a worker: a drain lets running and claimed jobs finish, a close does not.
extension WorkerLoop {
  /// Begins a drain. The worker takes no further job, gives back every delivery that is neither started nor claimed, and
  /// finishes running jobs. Open claims are repeated until they are answered, and run if they are granted: they hold the
  /// drain while the coordinator is away. So does a stuck handler. `ended` is raised at the end.
  func drain() {
    guard !isDraining else { return }
    drainsUntil = .now + timeouts.drain
    services?.drain()
    endWaits()
    logger.notice(
      """
      draining: \(tray.running.count) jobs still run, \(tray.openClaims.count) wait for the coordinator's word, \
      \(outbox.unconfirmed) reports wait for the broker
      """)
    link?.staffingDue.raise()
    // The coordinator learns from the presence that this worker takes no further job.
    link?.presenceDue.raise()
    endIfDrained()
  }

  /// Ends a drain once no release is claimed, runs, is being reported, or has still to be given back.
  func endIfDrained() {
    guard isDraining, end == nil, jobs.isEmpty, !tellers.hasConsumers, !tellers.hasWaiting else { return }
    end = endOfDrain
    ended.raise()
  }

  /// Tells the coordinator not to wait for this worker, if there is a connection.
  func publishGoodbye() async {
    guard let link else { return }
    let message = PresenceCodec.encode(presence(isGoodbye: true))
    let goodbye = OneShot.running { try await link.publishing.publish(message) }
    do {
      try await within(timeouts.goodbye, orThrow: { CancellationError() }) { try await goodbye.value }
    } catch let error as AMQPError {
      logger.debug("the goodbye was not sent: \(error)")
    } catch {
      // A broker that takes no messages must not keep the process: the publishing ends with the connection as well.
    }
  }

  /// Stops everything at once, and waits for no handler.
  ///
  /// - Returns: how many jobs are unfinished.
  func close() -> Int {
    watch?.cancel()
    for job in jobs.values {
      job.run?.cancel(.closed)
      job.grace?.cancel()
    }
    threads.close()
    return jobs.values.count { $0.run != nil }
  }
}
