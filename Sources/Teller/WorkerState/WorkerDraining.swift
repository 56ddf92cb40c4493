import Decisions
import JobModel
import JobTransport
import Logging

/// The end of a worker. A drain lets running and claimed jobs finish.
extension WorkerState {
  /// Begins a drain. The worker takes no further job, gives back every delivery that is neither started nor claimed, and
  /// finishes running jobs. Open claims are repeated until they are answered, and run if they are granted: they hold the
  /// drain while the coordinator is away. So does a stuck handler.
  mutating func drain(at now: Instant) {
    guard !isDraining else { return }
    drainsUntil = now + timeouts.drain
    act(.beginDrain)
    act(.endWaits)
    act(
      .log(
        .notice,
        """
        draining: \(tray.running.count) jobs still run, \(tray.openClaims.count) wait for the coordinator's word, \
        \(outbox.unconfirmed) reports wait for the broker
        """))
    act(.due(.staffing))
    // The coordinator learns from the presence that this worker takes no further job.
    act(.due(.presence))
  }

  /// Ends a drain once no release is claimed, runs, is being reported, or has still to be given back.
  mutating func endIfDrained() {
    guard isDraining, end == nil, jobs.isEmpty, tagsToAck.isEmpty, !tellers.hasConsumers, !tellers.hasWaiting
    else { return }
    end(endOfDrain)
  }
}
