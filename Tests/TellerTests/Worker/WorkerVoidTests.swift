import JobModel
import TestSupport
import Testing

@testable import Teller

@Suite("A worker and void releases", .timeLimit(.minutes(10)))
struct WorkerVoidTests {
  @Test("what is void and comes fresh is not run: it is told as dropped, and acked")
  func fresh() async throws {
    try await withWorker(stage: WorkerStage(isOpen: true), left: 0) { running, peer, stage in
      let void = peer.assignment()
      peer.want(void: [void.release])
      let presence = try await running.ready(with: peer)
      try await peer.release(void)
      let dropped = try await peer.nextDropped()
      #expect(dropped == UnstartedRelease(release: void.release, ledger: peer.ledger, worker: presence.worker))
      let other = peer.assignment()
      try await peer.release(other)
      #expect(try await peer.nextReport().release == other.release)
      #expect(stage.entries.map(\.job) == [other.job])
      try await peer.nothingInHand(of: presence.worker)
    }
  }

  @Test("what is void and comes redelivered, or says so, is claimed")
  func redelivered() async throws {
    try await withWorker(stage: WorkerStage(isOpen: true), left: 0) { running, peer, stage in
      let void = peer.assignment()
      let flagged = peer.assignment(mustClaim: true)
      peer.want(void: [void.release, flagged.release])
      try await peer.releaseRedelivered(void)
      let presence = try await running.ready(with: peer)
      let claim = try await peer.nextClaim()
      #expect(claim.release == void.release)
      try await peer.answer(claim, .drop)
      try await peer.release(flagged)
      let second = try await peer.nextClaim()
      #expect(second.release == flagged.release)
      try await peer.answer(second, .drop)
      try await peer.nothingInHand(of: presence.worker)
      #expect(stage.entries.isEmpty)
    }
  }

  @Test("what becomes void later is dropped, and what is forgotten runs")
  func changed() async throws {
    try await withServingWorker(stage: WorkerStage(isOpen: true)) { worker, peer, stage in
      let first = peer.assignment()
      let second = peer.assignment()
      try await peer.change(VoidChange(void: [first.release, second.release]), worker.id, probe: 1)
      try await peer.release(first)
      #expect(try await peer.nextDropped().release == first.release)
      try await peer.change(VoidChange(forgotten: [second.release]), worker.id, probe: 2)
      try await peer.release(second)
      #expect(try await peer.nextReport().release == second.release)
      #expect(stage.entries.map(\.job) == [second.job])
    }
  }

  @Test("what runs is cancelled when its job has ended, and its end reported; what is void for another reason runs on")
  func running() async throws {
    try await withServingWorker(["deposit": 2]) { worker, peer, stage in
      let assignment = peer.assignment()
      let other = peer.assignment()
      try await peer.release(assignment)
      try await peer.release(other)
      for _ in 0..<2 { _ = try await stage.nextEntry() }
      let change = VoidChange(void: [other.release, assignment.release], ended: [assignment.release])
      try await peer.change(change, worker.id, probe: 1)
      let report = try await peer.nextReport()
      #expect(report.release == assignment.release)
      guard case .failed(let failure, isPermanent: false) = report.result else {
        Issue.record("\(report.result)")
        return
      }
      #expect(failure.code == "cancelled")
      stage.open()
      let untouched = try await peer.nextReport()
      #expect(untouched.release == other.release)
      if case .failed = untouched.result { Issue.record("\(untouched.result)") }
    }
  }

  @Test("what runs and whose job ends while the connection is lost is cancelled by the next welcome")
  func welcomed() async throws {
    try await withServingWorker { worker, peer, stage in
      var peer = peer
      let assignment = peer.assignment()
      try await peer.release(assignment)
      _ = try await stage.nextEntry()
      peer = try await worker.loseConnections()
      peer.want(void: [assignment.release], ended: [assignment.release])
      try await worker.welcomeAgain()
      let report = try await peer.nextReport()
      #expect(report.release == assignment.release)
      guard case .failed(let failure, isPermanent: false) = report.result else {
        Issue.record("\(report.result)")
        return
      }
      #expect(failure.code == "cancelled")
    }
  }
}
