import JobModel
import Testing
import TestSupport

@testable import Teller

@Suite("A worker's claims and probes", .timeLimit(.minutes(10)))
struct WorkerClaimTests {
  @Test("what may have been run before is claimed, and runs with the token and attempt of the answer")
  func granted() async throws {
    try await withWorker(stage: WorkerStage(isOpen: true)) { running, peer, stage in
      let redelivered = peer.assignment()
      try await peer.releaseRedelivered(redelivered)
      let presence = try await running.ready(with: peer)
      let claim = try await peer.nextClaim()
      #expect(claim.release == redelivered.release)
      #expect(claim.worker == presence.worker)
      #expect(claim.ledger == peer.ledger)
      #expect(stage.entries.isEmpty)
      try await peer.answer(claim, .run(token: 5, attempt: 2))
      let report = try await peer.nextReport()
      #expect(report.token == 5)
      #expect(stage.entries == [.init(job: redelivered.job, attempt: 2)])
    }
  }

  /// Found by the simulator: the claim was behind others on its way, the queue was empty, and the job counted as lost.
  @Test("what is claimed is listed until the answer is there, but for what another ledger has released")
  func listed() async throws {
    try await withServingWorker(stage: WorkerStage(isOpen: true)) { worker, peer, stage in
      let assignment = peer.assignment(attempts: 1)
      try await peer.release(assignment)
      let claim = try await peer.nextClaim()
      let waiting = [WaitingRelease(release: assignment.release, token: assignment.token, mustClaim: true)]
      #expect(try await worker.echo(1).waiting == waiting)
      try await peer.answer(claim, .run(token: 5, attempt: 1), number: 1)
      #expect(try await peer.nextReport().token == 5)
      var foreign = peer.assignment()
      foreign.ledger = LedgerID("another")
      try await peer.release(foreign)
      let next = try await peer.nextClaim()
      #expect((next.release, next.ledger) == (foreign.release, foreign.ledger))
      #expect(try await worker.echo(2).waiting.isEmpty)
      try await peer.answer(next, .drop, number: 2)
      try await peer.nothingInHand(of: worker.id)
    }
  }

  @Test("an answer of a coordinator that has died since is not believed: the worker asks the present one")
  func lateAnswer() async throws {
    try await withServingWorker(stage: WorkerStage(isOpen: true)) { worker, peer, stage in
      let assignment = peer.assignment(attempts: 1)
      try await peer.release(assignment)
      let claim = try await peer.nextClaim()
      try await peer.probe(100, worker.id)
      try await peer.answer(claim, .run(token: 5, attempt: 1), number: 99)
      let again = try await peer.nextClaim()
      #expect(again.release == assignment.release)
      #expect(again.number != claim.number)
      #expect(stage.entries.isEmpty)
      // The present one may count from anywhere: it may have another ledger.
      try await peer.answer(again, .run(token: 7, attempt: 1), number: 6)
      #expect(try await peer.nextReport().token == 7)
    }
  }

  /// Why a worker may have been given up.
  enum Silence: CaseIterable {
    case itStoodStill, itsPulseIsLate
  }

  /// Found by the simulator: the worker began a release that had been taken from it, and had ended elsewhere.
  @Test(
    "after a silence a claim is asked with a new number, and the answer to the old one does not count",
    arguments: Silence.allCases)
  func silent(_ silence: Silence) async throws {
    try await withServingWorker(stage: WorkerStage(isOpen: true), left: 0) { worker, peer, stage in
      try await peer.release(peer.assignment(mustClaim: true))
      let claim = try await peer.nextClaim()
      switch silence {
      case .itStoodStill: await worker.running.worker.loop.fallSilent()
      case .itsPulseIsLate: await worker.running.worker.loop.losePulse()
      }
      try await peer.answer(claim, .run(token: 5, attempt: 1))
      var again = claim
      while again.number == claim.number { again = try await peer.nextClaim() }
      #expect(again.release == claim.release)
      try await peer.answer(again, .drop)
      try await peer.nothingInHand(of: worker.id)
      #expect(stage.entries.isEmpty)
    }
  }

  @Test("a release that says so, a job with one attempt, and what another ledger or epoch released are claimed too")
  func whatIsClaimed() async throws {
    try await withServingWorker(["deposit": 2], stage: WorkerStage(isOpen: true), left: 0) { worker, peer, stage in
      var foreign = peer.assignment()
      foreign.ledger = LedgerID()
      var earlier = peer.assignment()
      earlier.epoch -= 1
      for assignment in [peer.assignment(mustClaim: true), peer.assignment(attempts: 1), foreign, earlier] {
        try await peer.release(assignment)
        let claim = try await peer.nextClaim()
        #expect(claim.release == assignment.release)
        #expect(claim.ledger == assignment.ledger)
        try await peer.answer(claim, .drop)
      }
      try await peer.release(peer.assignment())
      _ = try await peer.nextReport()
      #expect(stage.entries.count == 1)
      try await peer.nothingInHand(of: worker.id)
    }
  }

  @Test(
    "what was released before its consumer began is claimed, though the broker does not say that it is redelivered",
    arguments: [nil, .zero, .seconds(-3_600)] as [Duration?])
  func releasedBefore(after welcome: Duration?) async throws {
    try await withWorker(stage: WorkerStage(isOpen: true)) { running, peer, stage in
      let old = peer.assignment(releasedAt: welcome.map { WorkerPeer.welcomedAt + $0 })
      try await peer.release(old)
      _ = try await running.ready(with: peer)
      let claim = try await peer.nextClaim()
      #expect(claim.release == old.release && stage.entries.isEmpty)
      try await peer.answer(claim, .drop)
      let new = peer.assignment()
      try await peer.release(new)
      #expect(try await peer.nextReport().release == new.release, "it is not claimed")
    }
  }

  @Test("a coordinator that has just started welcomes a worker that does not ask; its later consumers trust that, too")
  func welcomedAgain() async throws {
    try await withServingWorker(stage: WorkerStage(isOpen: true), left: 0) { worker, peer, stage in
      let presence = try await peer.nextPresence("one that does not ask") { $0.ledger != nil }
      try await peer.welcome(presence)
      try await peer.staff(Staffing(paused: ["deposit"]), worker.id)
      // It says so before its consumer is gone, which would hand the job to the next one as redelivered.
      try await eventually("its consumer is gone", within: patience) { try await peer.consumers(of: "deposit") == 0 }
      try await peer.staff(Staffing(), worker.id)
      let assignment = peer.assignment()
      try await peer.release(assignment)
      #expect(try await peer.nextReport().release == assignment.release, "it is not claimed")
    }
  }

  @Test("a consumer that begins later, as after a pause, trusts only what is released later still")
  func laterConsumer() {
    var tellers = Tellers(["deposit": 1])
    let (first, second) = ("department.deposit.1", "department.deposit.2")
    func isTrusted(_ milliseconds: Int64, _ consumer: String) -> Bool {
      var assignment = delivery().assignment
      assignment.releasedAt = Timestamp(milliseconds: milliseconds)
      return tellers.isReleasedLater(assignment, than: consumer, in: "deposit")
    }
    #expect(tellers.nextStep(isConsuming: true) == .consume("deposit", tag: first, prefetch: 1))
    #expect(!isTrusted(.max, first), "nobody knows when it began")
    tellers.begin(first, at: Timestamp(milliseconds: 10), in: "deposit")
    #expect(!isTrusted(10, first) && isTrusted(11, first))
    #expect(tellers.nextStep(isConsuming: false) == .cancel(first))
    _ = tellers.ended(first)
    #expect(tellers.nextStep(isConsuming: true) == .consume("deposit", tag: second, prefetch: 1))
    #expect(!isTrusted(.max, first) && !isTrusted(.max, second))
    tellers.begin(second, at: Timestamp(milliseconds: 20), in: "deposit")
    #expect(!isTrusted(20, second) && isTrusted(21, second))
    tellers.forgetBegins()
    #expect(!isTrusted(.max, second), "it was by the clock of another ledger")
  }

  /// Found by the simulator: what a coordinator had sent arrived behind what the next one had published again, and granted.
  @Test("what was released before the coordinator's session is claimed, once a probe has said when that began")
  func earlierSession() async throws {
    try await withServingWorker(stage: WorkerStage(isOpen: true), left: 0) { worker, peer, stage in
      let began = WorkerPeer.welcomedAt + .seconds(7_200)
      let (before, late) = (peer.assignment(), peer.assignment(releasedAt: began))
      try await peer.release(before)
      #expect(try await peer.nextReport().release == before.release)
      try await peer.probe(5, since: began, worker.id)
      _ = try await worker.echo(5)
      try await peer.release(late)
      let claim = try await peer.nextClaim()
      #expect(claim.release == late.release)
      try await peer.answer(claim, .drop)
      let fresh = peer.assignment(releasedAt: began + .milliseconds(1))
      try await peer.release(fresh)
      #expect(try await peer.nextReport().release == fresh.release)
      #expect(stage.entries.map(\.job) == [before.job, fresh.job])
    }
  }

  @Test("what another worker runs, or what is over, is acked and its teller is free")
  func refused() async throws {
    try await withServingWorker(stage: WorkerStage(isOpen: true), left: 0) { worker, peer, stage in
      for verdict in [Verdict.elsewhere, .drop] {
        try await peer.release(peer.assignment(mustClaim: true))
        try await peer.answer(try await peer.nextClaim(), verdict)
      }
      let fresh = peer.assignment()
      try await peer.release(fresh)
      #expect(try await peer.nextReport().release == fresh.release)
      #expect(stage.entries.map(\.job) == [fresh.job])
      try await peer.nothingInHand(of: worker.id)
    }
  }

  @Test("a claim is asked again, with its number, until it is answered")
  func askedAgain() async throws {
    try await withServingWorker(["deposit": 2], stage: WorkerStage(isOpen: true)) { _, peer, _ in
      try await peer.release(peer.assignment(mustClaim: true))
      let first = try await peer.nextClaim()
      #expect(try await peer.nextClaim() == first)
      try await peer.answer(first, .run(token: 2, attempt: 1))
      #expect(try await peer.nextReport().token == 2)
    }
  }

  @Test("claims that are made at the same time go out in one message, and are answered in one")
  func together() async throws {
    try await withServingWorker(["deposit": 5], stage: WorkerStage(isOpen: true), left: 0) { worker, peer, _ in
      for _ in 0..<5 { try await peer.release(peer.assignment(mustClaim: true)) }
      let claims = try await peer.nextClaims(5)
      #expect(Set(claims.map(\.number)) == [1, 2, 3, 4, 5])
      try await peer.answer(claims) { $0.number == 3 ? .drop : .run(token: 5 + $0.number, attempt: 1) }
      var tokens: Set<Int> = []
      for _ in 0..<4 { tokens.insert(try await peer.nextReport().token) }
      #expect(tokens == [6, 7, 9, 10])
      try await peer.nothingInHand(of: worker.id)
    }
  }

  @Test("an answer to another claim, or a second answer, changes nothing")
  func strayAnswers() async throws {
    try await withServingWorker(["deposit": 2]) { worker, peer, stage in
      try await peer.release(peer.assignment(mustClaim: true))
      let claim = try await peer.nextClaim()
      var stray = claim
      stray.number += 1
      try await peer.answer(stray, .drop)
      try await peer.answer(claim, .run(token: 2, attempt: 1))
      _ = try await stage.nextEntry()
      try await peer.answer(claim, .drop)
      try await peer.probe(1, worker.id)
      let echo = try await peer.nextPresence("the probe's echo") { $0.probe == 1 }
      #expect(echo.running.map(\.token) == [2])
      stage.open()
      #expect(try await peer.nextReport().token == 2)
    }
  }

  @Test("a probe behind a delivery finds it: the echo lists what was delivered before, as often as this is tried")
  func probeOrder() async throws {
    try await withServingWorker(["deposit": 100]) { worker, peer, stage in
      for round in 1...50 {
        let assignment = peer.assignment()
        try await peer.release(assignment)
        _ = try await stage.nextEntry()
        try await peer.probe(round, worker.id)
        let echo = try await peer.nextPresence("the echo of \(round)") { $0.probe >= round }
        #expect(echo.running.contains { $0.release == assignment.release })
        #expect(echo.running.count == round)
      }
      stage.open()
      for _ in 1...50 { _ = try await peer.nextReport() }
    }
  }
}
