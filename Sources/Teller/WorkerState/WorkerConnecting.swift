import Decisions
import JobModel
import Logging

/// The worker on one pair of connections: its beginning, its tick, and what the loss of the pair means.
extension WorkerState {
  /// How long after its welcome a worker expects that the deliveries of an earlier connection come again.
  static let redeliveryLimit: Duration = .seconds(10)
  /// How long a job that was taken ahead waits here for a teller, before it is given back: another worker may have a free
  /// one. For as long again none is taken ahead. It is far less than the time after which a broker takes a consumer for dead.
  static let waitingLimit: Duration = .seconds(10)

  mutating func connected(at now: Instant) {
    session += 1
    isConnected = true
    workedAt = now
    // The first presence asks for the welcome, and lists what the worker has, before it consumes anything.
    act(.due(.presence))
    act(.due(.reports))
    act(.due(.staffing))
  }

  /// Lets go of every delivery that is not started: the broker will deliver it again. A running job runs on.
  mutating func disconnected() {
    isConnected = false
    isWelcomed = false
    showWhetherOpen()
    welcomedAt = nil
    hasLoggedReady = false
    tagsToAck = []
    pulses = Pulses()
    tray.disconnected()
    outbox.disconnected()
    tellers.disconnected()
    for (release, job) in jobs where !job.hasRun { letGo(release, in: job.department) }
  }

  mutating func tick(at now: Instant) {
    noteSilence(at: now)
    logWaiting()
    publishAgain(at: now)
    giveUpLateRedeliveries(at: now)
    _ = tellers.giveBack(after: WorkerState.waitingLimit, at: now)
    act(.due(.presence))
    act(.due(.reports))
    // A job that has ended since may have made room to consume more.
    act(.due(.staffing))
  }

  /// After a silence the coordinator may have given the worker up. It may have released again what waits in the tray or in
  /// the socket, and what it had granted. To be called by the tick, and before anything is begun.
  ///
  /// The worker was silent if it did not work; or if its own pulse is so late that the lease may have passed: then the
  /// network holds up what it says.
  mutating func noteSilence(at now: Instant) {
    if now - workedAt > timeouts.silence || latestPulse.map({ pulses.isLate(by: $0, at: now) }) == true {
      tray.claimWaiting()
      outbox.forgetClaims()
      for (release, number) in tray.renewClaims() { claim(release, number: number) }
      pulses.doubt(at: now)
      act(.due(.presence))
    }
    workedAt = now
  }

  /// How late a pulse may be: a lease, without the time from one presence to the next, and as much for the way. So a slow
  /// broker is no silence, unless leases are short. Nil: the lease is not known.
  private var latestPulse: Duration? {
    lease.map { max(timeouts.silence, $0 - WorkerLoop.presenceInterval * 2) }
  }

  /// Expects the deliveries of an earlier connection no longer. The broker delivers them first: a release that has not come
  /// by now is in another worker's hands, or is gone. Other jobs must not wait here for its teller.
  private mutating func giveUpLateRedeliveries(at now: Instant) {
    guard let welcomedAt, welcomedAt.duration(to: now) >= WorkerState.redeliveryLimit else { return }
    self.welcomedAt = nil
    tellers.giveUpRedeliveries()
  }

  /// Logs that one of the coordinator's exchanges, or a department's queue, does not exist.
  mutating func logMissingTopology(_ text: String) {
    guard !hasLoggedWaiting else { return }
    hasLoggedWaiting = true
    act(
      .log(
        .notice,
        """
        the broker lacks what a coordinator declares (\(text)): no coordinator has run there yet, or one of an \
        earlier version, which is to be updated first, or it was deleted; waiting for a coordinator to declare it
        """))
  }

  private mutating func logWaiting() {
    guard !isWelcomed, !hasLoggedWaiting else { return }
    hasLoggedWaiting = true
    act(.log(.notice, "waiting for the coordinator's welcome; start `teller coordinator` if it does not run"))
  }
}
