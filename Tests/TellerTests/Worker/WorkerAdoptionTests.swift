import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Teller

@Suite("A worker with long jobs", .timeLimit(.minutes(10)))
struct WorkerAdoptionTests {
  private let timeouts = WorkerTimeouts(adoptAfter: .zero)

  @Test("a long job asks to be adopted until it is; then it needs no message, and outlives the connection")
  func adopted() async throws {
    try await withServingWorker(timeouts: timeouts, left: 0) { worker, peer, stage in
      var peer = peer
      let long = peer.assignment()
      try await peer.release(long)
      _ = try await stage.nextEntry()
      let request = try await peer.nextAdoption()
      #expect(
        request
          == AdoptionRequest(release: long.release, token: 1, ledger: peer.ledger, worker: worker.id))
      #expect(try await peer.nextAdoption() == request, "asked again")
      try await peer.adopted([request])
      try await peer.nothingUnacked(in: "deposit")
      #expect(try await peer.consumers(of: "deposit") == 0, "its only teller is taken out of the consumers")
      let other = peer.assignment()
      try await peer.release(other)
      peer = try await worker.loseConnections()
      let after = try await worker.welcomeAgain()
      #expect(after.running == [RunningRelease(release: long.release, token: 1)])
      #expect(try await peer.waiting(in: "deposit") == 1, "only the other job: the long one's message is gone")
      stage.open()
      // Its teller is free then, and consumed for again.
      #expect(try await peer.reports(2) == [long.release, other.release])
      #expect(stage.entries.map(\.job) == [long.job, other.job])
      try await peer.nothingInHand(of: after.worker)
    }
  }

  @Test("beside adopted jobs the other tellers go on, and nothing is delivered that nobody is free for")
  func others() async throws {
    try await withServingWorker(["deposit": 3], timeouts: timeouts) { worker, peer, stage in
      let long = peer.assignment()
      try await peer.release(long)
      _ = try await stage.nextEntry()
      try await peer.adopted([try await peer.nextAdoption()])
      try await peer.nothingUnacked(in: "deposit")
      for _ in 0..<4 { try await peer.release(peer.assignment()) }
      for _ in 0..<2 { _ = try await stage.nextEntry() }
      let echo = try await worker.echo(1)
      #expect(echo.running.count == 3)
      #expect(try await peer.waiting(in: "deposit") == 2)
      stage.open()
      _ = try await peer.reports(5)
      #expect(stage.mostRunning == 3)
      #expect(stage.entries.count == 5)
    }
  }

  @Test("a copy of an adopted job is acked at once: no claim, no second run")
  func copy() async throws {
    try await withServingWorker(["deposit": 2], timeouts: timeouts, left: 0) { worker, peer, stage in
      let long = peer.assignment()
      try await peer.release(long)
      _ = try await stage.nextEntry()
      try await peer.adopted([try await peer.nextAdoption()])
      try await peer.nothingUnacked(in: "deposit")
      var copy = long
      copy.mustClaim = true
      try await peer.release(copy)
      let other = peer.assignment()
      try await peer.release(other)
      #expect(try await stage.nextEntry().job == other.job)
      stage.open()
      _ = try await peer.reports(2)
      #expect(stage.entries.map(\.job) == [long.job, other.job])
      try await peer.nothingInHand(of: worker.id)
    }
  }

  @Test("each question for adoption waits twice as long as the one before, up to a limit")
  func pauses() {
    let assignment = Assignment(
      release: ReleaseID(job: JobID(), number: 1), token: 1, ledger: LedgerID(), epoch: 1, kind: "staged",
      department: "deposit", priority: .normal, attempt: 1, maxAttempts: 3, mustClaim: false, timeout: nil,
      content: JobContent())
    let delivery = DeliveredAssignment(assignment: assignment, department: "deposit", consumer: "c", tag: 1)
    var job = JobInHand(delivery, at: .now)
    var now = job.heldSince
    #expect(!job.mayAskToBeAdopted(at: now, after: .seconds(1)))
    now += .seconds(1)
    for seconds in [2, 4, 8, 16, 32, 64, 120, 120] {
      #expect(job.mayAskToBeAdopted(at: now, after: .seconds(1)))
      job.asksToBeAdopted(at: now)
      now += .seconds(seconds)
      #expect(!job.mayAskToBeAdopted(at: now - .milliseconds(1), after: .seconds(1)))
    }
  }

  @Test("a job of another ledger than the coordinator's does not ask to be adopted")
  func otherLedger() async throws {
    try await withServingWorker(timeouts: timeouts) { _, peer, stage in
      var other = peer.assignment()
      other.ledger = LedgerID()
      try await peer.release(other)
      try await peer.answer(try await peer.nextClaim(), .run(token: 2, attempt: 1))
      _ = try await stage.nextEntry()
      // Each comes with what is asked again.
      for _ in 0..<3 { _ = try await peer.nextPresence("it runs") { !$0.running.isEmpty } }
      stage.open()
      #expect(try await peer.nextReport().release == other.release, "it asked to be adopted")
    }
  }
}

extension WorkerPeer {
  /// Waits until the messages of adopted jobs are acked. They are when the consumers have been replaced: what is released
  /// before may be delivered to one that goes. It would come again, to be claimed.
  fileprivate func nothingUnacked(in department: Department) async throws {
    let queue = Topology.Queue.department(department)
    try await eventually("everything that was delivered is acked", within: patience) { [url] in
      let depth = try await BrokerNode.shared.queues(of: url)[queue]
      return depth.map { $0.messages != nil && $0.messages == $0.ready } ?? false
    }
  }

  /// Reads until so many releases are reported, and answers nothing: an adoption would replace a consumer again. A claim
  /// is an issue.
  /// - Returns: the releases in the order of their reports.
  fileprivate func reports(_ count: Int) async throws -> [ReleaseID] {
    var reported: [ReleaseID] = []
    while reported.count < count {
      switch try await nextMessage("a report") {
      case .report(let report):
        if !reported.contains(report.release) { reported.append(report.release) }
      case .adopt: break
      case let message: Issue.record("\(message)")
      }
    }
    return reported
  }
}
