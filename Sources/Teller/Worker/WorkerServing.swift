import AMQP
import AsyncAlgorithms
import Decisions
import JobModel
import JobTransport
import Logging

/// The worker on one pair of connections: its tasks, its tick, and what the loss of the pair means.
extension WorkerLoop {
  /// Shows how the worker stands, for its metrics.
  func showMetrics(_ broker: BrokerState) {
    guard let metrics else { return }
    metrics.show(broker)
    metrics.show(unconfirmedReports: outbox.unconfirmed)
    for (department, count) in tellers.counts { metrics.show(tellers: count, of: department) }
  }

  /// Serves on a new pair of connections, until the pair is lost or the task is cancelled; never returns otherwise. For
  /// `ready` see ``WorkerLink/ready``.
  func serveSession(
    _ connections: BrokerConnections, ready: @escaping @Sendable () -> Void
  ) async throws {
    let (link, consuming) = (connected(connections, ready), connections.consuming)
    defer { disconnected(link) }
    // The control queue is consumed first: so a probe is read in order with the deliveries behind it.
    let queue = try await Topology.declareWorkerQueue(
      worker, session: link.session, departments: tellers.departments, on: consuming)
    let options = ConsumeOptions(prefetch: WorkerLink.controlPrefetch, consumerTag: WorkerLink.controlTag)
    _ = try await consuming.consume(queue, options: options, into: link.inbox)
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { try await self.read(link) }
      group.addTask { try await self.announce(link) }
      group.addTask { try await self.publishReports(link) }
      group.addTask { try await self.tellProgress(link) }
      group.addTask { try await self.staff(link) }
      group.addTask { try await self.watchRefused(link) }
      group.addTask { await self.tick(link) }
    }
  }

  private func connected(_ connections: BrokerConnections, _ ready: @escaping @Sendable () -> Void) -> WorkerLink {
    session += 1
    let link = WorkerLink(
      session: session, consuming: connections.consuming, publishing: connections.publishing, ready: ready,
      openForTrial: { () async throws(AMQPError) in try await connections.openForTrial() })
    self.link = link
    workedAt = .now
    // The first presence asks for the welcome, and lists what the worker has, before it consumes anything.
    link.presenceDue.raise()
    link.reportsDue.raise()
    link.staffingDue.raise()
    progress.connect(link.progressDue)
    return link
  }

  /// Lets go of every delivery that is not started: the broker will deliver it again. A running job runs on.
  private func disconnected(_ link: WorkerLink) {
    guard link.session == self.link?.session else { return }
    self.link = nil
    progress.disconnect()
    isWelcomed = false
    showWhetherOpen()
    welcomedAt = nil
    hasLoggedReady = false
    tagsToAck = []
    pulses = (0, 0, 0)
    tray.disconnected()
    outbox.disconnected()
    tellers.disconnected()
    for (release, job) in jobs where job.run == nil { letGo(release, of: job) }
    endIfDrained()
  }

  private func tick(_ link: WorkerLink) async {
    for await _ in AsyncTimerSequence(interval: WorkerLoop.presenceInterval, clock: .continuous) {
      board.renew(WorkerPart.tick)
      noteSilence()
      logWaiting()
      lookForThreads()
      takeFinishedRuns()
      publishAgain()
      giveUpLateRedeliveries()
      _ = tellers.giveBack(after: WorkerLoop.waitingLimit, at: .now)
      link.presenceDue.raise()
      link.reportsDue.raise()
      // A job that has ended since may have made room to consume more.
      link.staffingDue.raise()
    }
  }

  /// After a silence the coordinator may have released again what waits here, in the tray or in the socket. To be called by
  /// the tick, and before anything is begun. A pulse that is sent from now on comes back behind what is in the socket.
  func noteSilence() {
    let now = ContinuousClock.now
    if now - workedAt > timeouts.silence {
      tray.claimWaiting()
      pulses.awaited = pulses.sent + 1
      link?.presenceDue.raise()
    }
    workedAt = now
  }

  /// Expects the deliveries of an earlier connection no longer. The broker delivers them first: a release that has not come
  /// by now is in another worker's hands, or is gone. Other jobs must not wait here for its teller.
  private func giveUpLateRedeliveries() {
    guard let welcomedAt, welcomedAt.duration(to: .now) >= WorkerLoop.redeliveryLimit else { return }
    self.welcomedAt = nil
    tellers.giveUpRedeliveries()
  }

  /// Logs that one of the coordinator's exchanges, or a department's queue, does not exist.
  ///
  /// - Parameter text: the broker's own text, which names it.
  func logMissingTopology(_ text: String) {
    guard !hasLoggedWaiting else { return }
    hasLoggedWaiting = true
    logger.notice(
      """
      the broker lacks what a coordinator declares (\(text)): no coordinator has run there yet, or one of an \
      earlier version, which is to be updated first, or it was deleted; waiting for a coordinator to declare it
      """)
  }

  private func logWaiting() {
    guard !isWelcomed, !hasLoggedWaiting else { return }
    hasLoggedWaiting = true
    logger.notice("waiting for the coordinator's welcome; start `teller coordinator` if it does not run")
  }
}
