import AMQP
import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

@Suite("A worker whose reports the broker refuses", .timeLimit(.minutes(10)))
struct WorkerRefusedReportsTests {
  @Test("publishes every report of a refused message again, and acks its assignments only then")
  func again() async throws {
    var peer = try await WorkerPeer.start()
    let (stage, log) = (WorkerStage(), WorkerLog())
    try await withWorker(at: peer.url, ["deposit": 5], stage: stage, log: log) { running in
      let presence = try await running.ready(with: peer)
      let assignments = (0..<5).map { _ in peer.assignment() }
      for assignment in assignments { try await peer.release(assignment) }
      for _ in assignments { _ = try await stage.nextEntry() }
      try await peer.connection.delete(queue: Topology.Queue.reports)
      stage.open()
      try await log.next(containing: "publishing them again")
      try await peer.probe(1, presence.worker)
      let echo = try await peer.nextPresence("the echo of 1") { $0.probe == 1 }
      #expect(Set(echo.running.map(\.release)) == Set(assignments.map(\.release)), "they are still in its hands")

      await peer.close()
      peer = try await WorkerPeer.start(at: peer.url, ledger: peer.ledger)
      var reported: [ReleaseID] = []
      for _ in assignments { reported.append(try await peer.nextReport().release) }
      #expect(Set(reported) == Set(assignments.map(\.release)))
      try await peer.nothingInHand(of: presence.worker)
      #expect(stage.entries.count == 5)
    }
    #expect(try await peer.waiting(in: "deposit") == 0)
    await peer.close()
  }

  @Test("drains until the broker has them, and says goodbye only then")
  func drain() async throws {
    var peer = try await WorkerPeer.start()
    let (stage, log) = (WorkerStage(), WorkerLog())
    try await withWorker(at: peer.url, ["deposit": 1], stage: stage, log: log) { running in
      try await running.ready(with: peer)
      let assignment = peer.assignment()
      try await peer.release(assignment)
      _ = try await stage.nextEntry()
      await running.worker.drain()
      try await peer.connection.delete(queue: Topology.Queue.reports)
      stage.open()
      // Either comes: its word that the report is refused, or its goodbye.
      repeat {
        let presence = try await peer.nextPresence("what it has is listed") { $0.isGoodbye || !$0.running.isEmpty }
        try #require(!presence.isGoodbye, "it said goodbye before its report was confirmed")
      } while !log.messages.contains { $0.contains("publishing them again") }

      await peer.close()
      peer = try await WorkerPeer.start(at: peer.url, ledger: peer.ledger)
      #expect(try await peer.nextReport().release == assignment.release)
      _ = try await peer.nextPresence("the goodbye", where: \.isGoodbye)
      try await running.end()
    }
    await peer.close()
  }
}
