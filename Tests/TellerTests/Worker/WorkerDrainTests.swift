import AMQP
import BrokerSupport
import Foundation
import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

@Suite("A worker that stops", .timeLimit(.minutes(10)), .serialized)
struct WorkerDrainTests {
  @Test("a drain finishes what runs, takes nothing new, and says goodbye")
  func drain() async throws {
    try await withServingWorker(["deposit": 2], left: 1) { worker, peer, stage in
      let runs = peer.assignment()
      try await peer.release(runs)
      _ = try await stage.nextEntry()
      try await drainAndLeave(worker)
      let draining = try await peer.nextPresence("it says that it drains", where: \.isDraining)
      #expect(!draining.isGoodbye && draining.running.map(\.release) == [runs.release])
      try await peer.release(peer.assignment())
      stage.open()
      #expect(try await peer.nextReport().release == runs.release)
      let goodbye = try await peer.nextPresence("the goodbye", where: \.isGoodbye)
      #expect(goodbye.running.isEmpty)
      try await worker.end()
      #expect(stage.entries.map(\.job) == [runs.job])
    }
  }

  @Test("an order of the coordinator drains like a call, however often it comes; a signal then drains, too")
  func ordered() async throws {
    let log = WorkerLog()
    try await withServingWorker(["deposit": 2], log: log, trapsSignals: true, left: 1) { worker, peer, stage in
      let runs = peer.assignment()
      try await peer.release(runs)
      _ = try await stage.nextEntry()
      try await peer.staff(Staffing(isToDrain: true), worker.id)
      _ = try await peer.nextPresence("it says that it drains", where: \.isDraining)
      try await noConsumerIsLeft(peer)
      try await peer.staff(Staffing(isToDrain: true), worker.id)
      kill(getpid(), SIGTERM)
      try await log.next(containing: "told to end by a signal")
      try await peer.release(peer.assignment())
      stage.open()
      #expect(try await peer.nextReport().release == runs.release)
      _ = try await peer.nextPresence("the goodbye", where: \.isGoodbye)
      try await worker.end()
      #expect(stage.entries.map(\.job) == [runs.job])
      #expect(log.messages.filter { $0.contains("told to drain by an operator") }.count == 1)
    }
  }

  @Test("a welcome with the order drains a worker that was away, and lets it finish what it runs")
  func orderedWhileAway() async throws {
    // Its ack was not possible: the message stays for another worker.
    try await withServingWorker(left: 1) { worker, peer, stage in
      var peer = peer
      let before = worker.welcomed
      let runs = peer.assignment()
      try await peer.release(runs)
      _ = try await stage.nextEntry()
      peer = try await worker.loseConnections()
      peer.want(staffing: Staffing(isToDrain: true))
      _ = try await peer.welcomeNext(after: before)
      _ = try await peer.nextPresence("it says that it drains") { $0.isDraining && !$0.running.isEmpty }
      stage.open()
      #expect(try await peer.nextReport().release == runs.release)
      _ = try await peer.nextPresence("the goodbye", where: \.isGoodbye)
      try await worker.end()
    }
  }

  @Test("a worker that is told to drain in its first welcome ends without consuming anything")
  func orderedAtOnce() async throws {
    let peer = try await WorkerPeer.start()
    peer.want(staffing: Staffing(isToDrain: true))
    try await peer.release(peer.assignment())
    try await withWorker(at: peer.url) { running in
      _ = try await peer.welcomeNext()
      _ = try await peer.nextPresence("the goodbye", where: \.isGoodbye)
      try await running.end()
    }
    #expect(try await peer.waiting(in: "deposit") == 1)
    await peer.close()
  }

  @Test("a drain gives back what is delivered before its consumers are cancelled")
  func deliveredMeanwhile() async throws {
    let latch = WorkerLatch()
    let log = WorkerLog(stoppingAt: ("draining", latch))
    defer { latch.open() }
    try await withServingWorker(log: log, left: 1) { worker, peer, stage in
      let link = try #require(await worker.running.worker.loop.link)
      // It takes nothing new from this line on, and still has its consumer.
      let draining = Task { [worker = worker.running.worker] in await worker.drain() }
      try await log.next(containing: "draining")
      try await peer.release(peer.assignment())
      try await eventually("it is delivered", within: patience) { try await peer.waiting(in: "deposit") == 0 }
      // The answer comes behind the delivery: with it, that is read.
      _ = try await link.consuming.state(of: Topology.Queue.department("deposit"))
      latch.open()
      await draining.value
      let last = try await nextListing(peer)
      try #require(last.isGoodbye, "it runs what was delivered while it drained")
      try await worker.end()
      #expect(stage.entries.isEmpty)
    }
  }

  @Test("a claim that is granted during the drain is run and reported before the goodbye")
  func grantedClaim() async throws {
    try await withServingWorker(left: 0) { worker, peer, stage in
      let claimed = peer.assignment(attempts: 1, mustClaim: true)
      try await peer.release(claimed)
      let claim = try await peer.nextClaim()
      try await drainAndLeave(worker)
      try await askedTwice(claim, peer)
      #expect(try await peer.waiting(in: "deposit") == 0)
      try await peer.answer(claim, .run(token: 2, attempt: 1))
      #expect(try await stage.nextEntry() == .init(job: claimed.job, attempt: 1))
      let listing = try await nextListing(peer)
      #expect(!listing.isGoodbye, "it said goodbye while its claim was run")
      #expect(listing.running == [RunningRelease(release: claimed.release, token: 2)])
      stage.open()
      #expect(try await peer.nextReport().token == 2)
      _ = try await peer.nextPresence("the goodbye", where: \.isGoodbye)
      try await worker.end()
    }
  }

  @Test("a claim that is answered with drop during the drain is acked, and ends it")
  func droppedClaim() async throws {
    try await withServingWorker(stage: WorkerStage(isOpen: true), left: 0) { worker, peer, stage in
      try await peer.release(peer.assignment(mustClaim: true))
      let claim = try await peer.nextClaim()
      try await drainAndLeave(worker)
      try await askedTwice(claim, peer)
      #expect(try await peer.waiting(in: "deposit") == 0)
      try await peer.answer(claim, .drop)
      _ = try await peer.nextPresence("the goodbye", where: \.isGoodbye)
      try await worker.end()
      #expect(stage.entries.isEmpty)
    }
  }

  @Test("a second signal closes a worker at once that waits for the answer to a claim")
  func signalsWithClaim() async throws {
    try await withServingWorker(trapsSignals: true, left: 1) { worker, peer, _ in
      try await peer.release(peer.assignment(mustClaim: true))
      _ = try await peer.nextClaim()
      kill(getpid(), SIGTERM)
      try await noConsumerIsLeft(peer)
      kill(getpid(), SIGTERM)
      await #expect(throws: WorkerError.stoppedAtOnce(unfinished: 0)) { try await worker.end() }
    }
  }

  @Test("a drain without anything to do ends at once, also before the welcome")
  func idle() async throws {
    let peer = try await WorkerPeer.start()
    try await withWorker(at: peer.url) { running in
      _ = try await peer.nextPresence("a worker asks for its welcome") { $0.ledger == nil }
      await running.worker.drain()
      try await running.end()
      _ = try await peer.nextPresence("the goodbye", where: \.isGoodbye)
    }
    await peer.close()
  }

  @Test("a drain without a broker ends when nothing is left to report")
  func withoutBroker() async throws {
    try await withWorker(at: "amqp://127.0.0.1:1/") { running in
      await running.worker.drain()
      try await running.end()
    }
  }

  @Test("a drain through the loss of the connection waits for the report's confirm")
  func drainThroughLoss() async throws {
    // Its ack was not possible: whoever is given it claims it, and hears that it is over.
    try await withServingWorker(left: 1) { worker, peer, stage in
      var peer = peer
      let before = worker.welcomed
      let assignment = peer.assignment()
      try await peer.release(assignment)
      _ = try await stage.nextEntry()
      await worker.drain()
      peer = try await worker.loseConnections()
      let presence = try await peer.welcomeNext(after: before)
      #expect(presence.running.map(\.release) == [assignment.release])
      stage.open()
      #expect(try await peer.nextReport().release == assignment.release)
      _ = try await peer.nextPresence("the goodbye", where: \.isGoodbye)
      try await worker.end()
    }
  }

  @Test("the first signal drains, the second one closes at once and says how much was unfinished")
  func signals() async throws {
    try await withServingWorker(trapsSignals: true, left: 2) { worker, peer, stage in
      try await peer.release(peer.assignment())
      _ = try await stage.nextEntry()
      try await peer.release(peer.assignment())
      kill(getpid(), SIGTERM)
      // What is in the queue stays there: no consumer is left.
      try await noConsumerIsLeft(peer)
      kill(getpid(), SIGTERM)
      await #expect(throws: WorkerError.stoppedAtOnce(unfinished: 1)) { try await worker.end() }
    }
  }

  @Test("the first signal after the program's own drain drains too, and closes nothing")
  func signalAfterDrain() async throws {
    try await withServingWorker(trapsSignals: true, left: 0) { worker, peer, stage in
      let assignment = peer.assignment()
      try await peer.release(assignment)
      _ = try await stage.nextEntry()
      try await drainAndLeave(worker)
      kill(getpid(), SIGTERM)
      // It goes on telling that it runs: these come seconds apart, and one that is closed tells nothing.
      for _ in 0..<3 {
        let presence = try await nextListing(peer)
        #expect(!presence.isGoodbye)
      }
      stage.open()
      #expect(try await peer.nextReport().release == assignment.release)
      _ = try await peer.nextPresence("the goodbye", where: \.isGoodbye)
      try await worker.end()
    }
  }

  @Test("a worker whose departments are gone finishes what it has, says goodbye, and fails")
  func departmentsGone() async throws {
    try await withServingWorker(left: 0) { worker, peer, stage in
      let presence = worker.welcomed
      let assignment = peer.assignment()
      try await peer.release(assignment)
      _ = try await stage.nextEntry()
      try await peer.welcome(presence, unknown: ["deposit"])
      try await noConsumerIsLeft(peer)
      stage.open()
      #expect(try await peer.nextReport().release == assignment.release)
      _ = try await peer.nextPresence("the goodbye", where: \.isGoodbye)
      await #expect(throws: WorkerError.unknownDepartments(["deposit"])) { try await worker.end() }
    }
  }

  @Test("cancelling the task closes at once, and cancels the handlers")
  func cancellation() async throws {
    try await withServingWorker(left: 1) { worker, peer, stage in
      try await peer.release(peer.assignment())
      _ = try await stage.nextEntry()
      worker.running.cancel()
      await #expect(throws: CancellationError.self) { try await worker.end() }
      await #expect(throws: WorkerError.alreadyRun) { try await worker.running.worker.run() }
    }
  }

  /// Drains a worker, and waits until it can be given nothing more.
  private func drainAndLeave(_ worker: ServingWorker) async throws {
    await worker.drain()
    try await noConsumerIsLeft(worker.peer)
  }

  private func noConsumerIsLeft(_ peer: WorkerPeer) async throws {
    try await eventually("the consumers are cancelled", within: patience) {
      try await peer.consumers(of: "deposit") == 0
    }
  }

  /// Waits until the claim is asked twice more: the first of these may have been on its way before the drain.
  private func askedTwice(_ claim: ClaimRequest, _ peer: WorkerPeer) async throws {
    for _ in 1...2 { #expect(try await peer.nextClaim() == claim) }
  }

  /// The next presence that lists something, or the goodbye if that comes first.
  private func nextListing(_ peer: WorkerPeer) async throws -> Presence {
    try await peer.nextPresence("what runs is listed") { $0.isGoodbye || !$0.running.isEmpty }
  }
}
