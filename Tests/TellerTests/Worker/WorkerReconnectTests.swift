import AMQP
import Foundation
import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

@Suite("A worker that loses its connection", .timeLimit(.minutes(15)))
struct WorkerReconnectTests {
  @Test("a job that runs through the loss of the connection is adopted when it comes back, and runs once")
  func adoption() async throws {
    try await withServingWorker(left: 0) { worker, peer, stage in
      var peer = peer
      let before = worker.welcomed
      let assignment = peer.assignment()
      try await peer.release(assignment)
      _ = try await stage.nextEntry()
      peer = try await worker.loseConnections()
      // Without a welcome it is not handed out again: it waits.
      try await eventually("the copy is back in its queue", within: patience) {
        try await peer.waiting(in: "deposit") == 1
      }
      let after = try await worker.welcomeAgain()
      #expect(after.worker == before.worker)
      #expect(after.session > before.session)
      #expect(after.running == [RunningRelease(release: assignment.release, token: 1)], "listed before it consumes")
      // What is handed out before the probe is read before it.
      try await eventually("the copy is delivered", within: patience) {
        try await peer.waiting(in: "deposit") == 0
      }
      try await worker.echo(1)
      stage.open()
      let report = try await peer.nextReport()
      #expect(report.release == assignment.release)
      #expect(report.token == 1)
      // Only an ack of the adopted tag gives the one teller back.
      let next = peer.assignment()
      try await peer.release(next)
      #expect(try await peer.nextReport().release == next.release)
      #expect(stage.entries.map(\.job) == [assignment.job, next.job])
      try await peer.nothingInHand(of: after.worker)
    }
  }

  @Test("while a job of an earlier connection holds the teller, what is delivered waits, and is then claimed")
  func busyTeller() async throws {
    try await withServingWorker { worker, peer, stage in
      var peer = peer
      let running = peer.assignment()
      try await peer.release(running)
      _ = try await stage.nextEntry()
      peer = try await worker.loseConnections()
      // The broker's copy of what runs goes to somebody else, so that the worker is given another job.
      let consumer = try await peer.connection.consume(
        Topology.Queue.department("deposit"), options: ConsumeOptions(prefetch: 1))
      let copy = try await limited("the copy") { await consumer.nextBatch(atMost: 1)?.first }
      try await peer.connection.cancel(consumer.tag)
      let other = peer.assignment()
      try await peer.release(other)
      try await worker.welcomeAgain()
      try await peer.connection.ack(try #require(copy).deliveryTag)
      try await eventually("the other job is delivered", within: patience) {
        if try await peer.waiting(in: "deposit") == 0 { return true }
        // Delivered, and given back already, when this looks late.
        return try await peer.consumers(of: "deposit") == 0
      }
      let echo = try await worker.echo(1)
      #expect(echo.running.map(\.release) == [running.release])
      stage.open(running.job)
      #expect(try await peer.nextReport().release == running.release)
      let claim = try await peer.nextClaim()
      #expect(claim.release == other.release)
      #expect(stage.entries.count == 1)
      stage.open()
      try await peer.answer(claim, .run(token: 2, attempt: 1))
      #expect(try await peer.nextReport().release == other.release)
      #expect(stage.mostRunning == 1)
    }
  }

  @Test("an answer to a claim of an earlier connection is ignored; the claim is made anew")
  func claimOfEarlierConnection() async throws {
    try await withServingWorker(stage: WorkerStage(isOpen: true)) { worker, peer, stage in
      var peer = peer
      let assignment = peer.assignment(mustClaim: true)
      try await peer.release(assignment)
      let old = try await peer.nextClaim()
      peer = try await worker.loseConnections()
      try await worker.welcomeAgain()
      var new = try await peer.nextClaim()
      // It may have asked again before the connection was lost.
      while new.number == old.number { new = try await peer.nextClaim() }
      #expect(new.release == old.release)
      try await peer.answer(old, .run(token: 8, attempt: 1))
      try await peer.answer(new, .run(token: 9, attempt: 1))
      #expect(try await peer.nextReport().token == 9)
      #expect(stage.entries.count == 1)
    }
  }

  @Test("reports that could not be sent are sent when the broker is back from kill -9, and nothing runs again")
  func brokerRestart() async throws {
    let broker = try await BrokerNode.start()
    var peer = try await WorkerPeer.start(at: broker.url)
    await peer.close()
    // RabbitMQ 3.10 loses a stream for good when it is killed within a second of the stream's declaration, whatever it
    // has confirmed. A stop in good order puts the stream on disk.
    try await broker.stop()
    try await broker.start()
    peer = try await WorkerPeer.startAgain(at: broker.url, ledger: peer.ledger)
    let stage = WorkerStage()
    try await withWorker(at: broker.url, ["deposit": 3], stage: stage) { running in
      let before = try await running.ready(with: peer)
      let assignments = (0..<3).map { _ in peer.assignment() }
      for assignment in assignments { try await peer.release(assignment) }
      for _ in assignments { _ = try await stage.nextEntry() }
      try await broker.kill()
      await peer.close()
      stage.open()
      try await broker.start()
      peer = try await WorkerPeer.startAgain(at: broker.url, ledger: peer.ledger)
      let presence = try await running.ready(with: peer, after: before)
      var reported: Set<ReleaseID> = []
      while reported.count < 3 {
        switch try await peer.nextMessage("a report") {
        case .report(let report): reported.insert(report.release)
        // The report was there first, so the redelivery is no longer in the tray: as the coordinator would say.
        case .claims(let claims): try await peer.answer(claims) { _ in .drop }
        case let message: Issue.record("\(message)")
        }
      }
      #expect(reported == Set(assignments.map(\.release)))
      #expect(stage.entries.count == 3)
      try await dropWhatWaits(at: presence.worker, peer)
    }
    await peer.close()
    try await broker.close()
  }

  /// A redelivery may come, and be claimed, after the last report.
  private func dropWhatWaits(at worker: WorkerID, _ peer: WorkerPeer) async throws {
    for probe in 1... {
      try await peer.probe(probe, worker)
      let echo = try await peer.nextPresence("an echo") { $0.worker == worker && $0.probe == probe }
      if echo.running.isEmpty, echo.waiting.isEmpty { return }
      // Claims are repeated until they are answered.
      for _ in echo.waiting { try await peer.answer(try await peer.nextClaim(), .drop) }
    }
  }

  @Test("another ledger's welcome is taken, after a reconnect")
  func otherLedger() async throws {
    try await withServingWorker(stage: WorkerStage(isOpen: true)) { worker, _, _ in
      let peer = try await worker.loseConnections(ledger: LedgerID())
      try await worker.welcomeAgain()
      let assignment = peer.assignment()
      try await peer.release(assignment)
      let report = try await peer.nextReport()
      #expect(report.release == assignment.release)
      #expect(report.ledger == peer.ledger)
    }
  }
}
