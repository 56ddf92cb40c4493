import AMQP
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Teller

@Suite("A worker whose staffing is changed", .timeLimit(.minutes(10)))
struct WorkerStaffingTests {
  @Test("a paused department is not consumed, what runs in it runs on, and it is consumed again when it is resumed")
  func paused() async throws {
    try await withServingWorker(["deposit": 1, "loan": 1]) { worker, peer, stage in
      let first = peer.assignment()
      try await peer.release(first)
      _ = try await stage.nextEntry()
      try await pause(peer, worker.id)
      let second = peer.assignment()
      try await peer.release(second)
      try await peer.release(peer.assignment(department: "loan"))
      #expect(try await stage.nextEntry().job != second.job, "another department is served")
      stage.open()
      for _ in 0..<2 { _ = try await peer.nextReport() }
      #expect(try await peer.waiting(in: "deposit") == 1)
      try await peer.staff(Staffing(), worker.id)
      _ = try await peer.nextPresence("nothing is paused") { $0.paused.isEmpty }
      #expect(try await peer.nextReport().release == second.release)
    }
  }

  @Test("what is delivered and not started when its department is paused is given back")
  func givenBack() async throws {
    try await withServingWorker { worker, peer, stage in
      var peer = peer
      let running = peer.assignment()
      try await peer.release(running)
      _ = try await stage.nextEntry()
      peer = try await worker.loseConnections()
      // The broker's copy of what runs goes to somebody else, so that the worker is given another job, which waits.
      try await takeCopy(peer)
      let other = peer.assignment()
      try await peer.release(other)
      let presence = try await worker.welcomeAgain()
      try await eventually("the other job is delivered", within: patience) {
        try await peer.waiting(in: "deposit") == 0
      }
      try await pause(peer, presence.worker)
      try await eventually("it is given back", within: patience) { try await peer.waiting(in: "deposit") == 1 }
      stage.open()
      #expect(try await peer.nextReport().release == running.release)
      #expect(stage.entries.map(\.job) == [running.job])
    }
  }

  @Test("a department that is paused while the connection is lost stays unserved; the welcome says so")
  func pausedThroughLoss() async throws {
    let log = WorkerLog()
    try await withServingWorker(["deposit": 2], stage: WorkerStage(isOpen: true), log: log) { worker, peer, _ in
      var peer = peer
      peer = try await worker.loseConnections()
      peer.want(staffing: Staffing(tellers: ["deposit": 3], paused: ["deposit"]))
      try await worker.welcomeAgain()
      #expect(log.messages.contains("ready: deposit=3 (paused)"))
      _ = try await peer.nextPresence("it says so") { $0.paused == ["deposit"] && $0.tellers == ["deposit": 3] }
      try await peer.release(peer.assignment())
      #expect(try await peer.consumers(of: "deposit") == 0)
      peer.want(staffing: Staffing())
      peer = try await worker.loseConnections()
      try await worker.welcomeAgain()
      _ = try await peer.nextReport()
      _ = try await peer.nextPresence("it is as it was started") { $0.paused == [] && $0.tellers == ["deposit": 2] }
    }
  }

  @Test("more tellers run more at once, also more than the worker was started with")
  func more() async throws {
    let latch = WorkerLatch()
    let register: (Worker) -> Void = { $0.register(Stubborn(latch: latch)) }
    try await withServingWorker(register: register) { worker, peer, _ in
      for _ in 0..<4 { try await peer.release(peer.assignment("stubborn", payload: "{}")) }
      try await eventually("one handler blocks", within: patience) { latch.count == 1 }
      try await peer.staff(Staffing(tellers: ["deposit": 3]), worker.id)
      _ = try await peer.nextPresence("it has three") { $0.tellers == ["deposit": 3] }
      try await eventually("three handlers block", within: patience, lastState: { "\(latch.count)" }) {
        latch.count == 3
      }
      let echo = try await worker.echo(1)
      #expect(echo.running.count == 3)
      latch.open()
      for _ in 0..<4 { _ = try await peer.nextReport() }
    }
  }

  @Test("fewer tellers let what runs end, and then run fewer at once")
  func fewer() async throws {
    try await withServingWorker(["deposit": 4]) { worker, peer, stage in
      let four = (0..<4).map { _ in peer.assignment() }
      for assignment in four { try await peer.release(assignment) }
      for _ in four { _ = try await stage.nextEntry() }
      try await peer.staff(Staffing(tellers: ["deposit": 2]), worker.id)
      _ = try await peer.nextPresence("it has two") { $0.tellers == ["deposit": 2] }
      // What is delivered to the consumer that goes would come again, to be claimed.
      try await nobodyConsumes(peer)
      for _ in 0..<6 { try await peer.release(peer.assignment()) }
      for assignment in four { stage.open(assignment.job) }
      for _ in four { _ = try await peer.nextReport() }
      for _ in 0..<2 { _ = try await stage.nextEntry() }
      let echo = try await worker.echo(1)
      #expect(echo.running.count == 2)
      #expect(try await peer.waiting(in: "deposit") == 4, "nothing is delivered that nobody is free for")
      stage.open()
      for _ in 0..<6 { _ = try await peer.nextReport() }
    }
  }

  @Test("no tellers consume nothing, and a drain ends")
  func none() async throws {
    try await withServingWorker(left: 1) { worker, peer, _ in
      try await peer.staff(Staffing(tellers: ["deposit": 0]), worker.id)
      try await nobodyConsumes(peer)
      try await peer.release(peer.assignment())
      await worker.drain()
      try await worker.end()
    }
  }

  @Test("however often tellers are changed and the department paused, every job runs once")
  func churn() async throws {
    var random = SeededRandom(for: "staffing")
    try await withServingWorker(["deposit": 3], stage: WorkerStage(isOpen: true), left: 0) { worker, peer, stage in
      let assignments = (0..<200).map { _ in peer.assignment() }
      for assignment in assignments { try await peer.release(assignment) }
      var reported: [ReleaseID] = []
      var probes = 0
      while reported.count < assignments.count {
        let isPaused = Bool.random(using: &random)
        let tellers = Int.random(in: 0...6, using: &random)
        try await peer.staff(
          Staffing(tellers: ["deposit": tellers], paused: isPaused ? ["deposit"] : []), worker.id)
        if Bool.random(using: &random) {
          probes += 1
          try await peer.probe(probes, worker.id)
          _ = try await peer.nextPresence("the echo of \(probes)") { [probes] in $0.probe == probes }
        }
        // Somebody must be there to report.
        let open = Int.random(in: 1...6, using: &random)
        try await peer.staff(Staffing(tellers: ["deposit": open]), worker.id)
        for _ in 0..<Int.random(in: 1...12, using: &random) where reported.count < assignments.count {
          switch try await peer.nextMessage("a report") {
          case .report(let report): reported.append(report.release)
          case .claims(let claims): try await peer.answer(claims) { _ in .run(token: 2, attempt: 1) }
          case let message: Issue.record("\(message)")
          }
        }
      }
      #expect(Set(reported) == Set(assignments.map(\.release)))
      #expect(stage.entries.count == assignments.count)
      try await peer.nothingInHand(of: worker.id)
    }
  }

  private func pause(_ peer: WorkerPeer, _ worker: WorkerID) async throws {
    try await peer.staff(Staffing(paused: ["deposit"]), worker)
    _ = try await peer.nextPresence("it says that it is paused") { $0.paused == ["deposit"] }
    try await nobodyConsumes(peer)
  }

  private func nobodyConsumes(_ peer: WorkerPeer) async throws {
    try await eventually("nobody consumes", within: patience) { try await peer.consumers(of: "deposit") == 0 }
  }

  /// Takes the message of a department out of its queue for good.
  private func takeCopy(_ peer: WorkerPeer) async throws {
    let queue = Topology.Queue.department("deposit")
    let consumer = try await peer.connection.consume(queue, options: ConsumeOptions(prefetch: 1))
    let copy = try await limited("the copy") { await consumer.nextBatch(atMost: 1)?.first }
    try await peer.connection.cancel(consumer.tag)
    try await peer.connection.ack(try #require(copy).deliveryTag)
  }
}
