import AMQP
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
    let peer = try await WorkerPeer.start()
    let stage = WorkerStage()
    try await withWorker(at: peer.url, ["deposit": 2], stage: stage) { running in
      try await running.ready(with: peer)
      let runs = peer.assignment()
      try await peer.release(runs)
      _ = try await stage.nextEntry()
      try await drainAndLeave(running, peer)
      try await peer.release(peer.assignment())
      stage.open()
      #expect(try await peer.nextReport().release == runs.release)
      let goodbye = try await peer.nextPresence("the goodbye", where: \.isGoodbye)
      #expect(goodbye.running.isEmpty)
      try await running.end()
      #expect(stage.entries.map(\.job) == [runs.job])
    }
    try await eventually("what came later waits in the queue", within: patience) {
      try await peer.waiting(in: "deposit") == 1
    }
    await peer.close()
  }

  @Test("a claim that is granted during the drain is run and reported before the goodbye")
  func grantedClaim() async throws {
    let peer = try await WorkerPeer.start()
    let stage = WorkerStage()
    try await withWorker(at: peer.url, ["deposit": 1], stage: stage) { running in
      try await running.ready(with: peer)
      let claimed = peer.assignment(attempts: 1, mustClaim: true)
      try await peer.release(claimed)
      let claim = try await peer.nextClaim()
      try await drainAndLeave(running, peer)
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
      try await running.end()
    }
    #expect(try await peer.waiting(in: "deposit") == 0)
    await peer.close()
  }

  @Test("a claim that is answered with drop during the drain is acked, and ends it")
  func droppedClaim() async throws {
    let peer = try await WorkerPeer.start()
    let stage = WorkerStage(isOpen: true)
    try await withWorker(at: peer.url, ["deposit": 1], stage: stage) { running in
      try await running.ready(with: peer)
      try await peer.release(peer.assignment(mustClaim: true))
      let claim = try await peer.nextClaim()
      try await drainAndLeave(running, peer)
      try await askedTwice(claim, peer)
      #expect(try await peer.waiting(in: "deposit") == 0)
      try await peer.answer(claim, .drop)
      _ = try await peer.nextPresence("the goodbye", where: \.isGoodbye)
      try await running.end()
      #expect(stage.entries.isEmpty)
    }
    #expect(try await peer.waiting(in: "deposit") == 0)
    await peer.close()
  }

  @Test("a second signal closes a worker at once that waits for the answer to a claim")
  func signalsWithClaim() async throws {
    let peer = try await WorkerPeer.start()
    try await withWorker(at: peer.url, ["deposit": 1], trapsSignals: true) { running in
      try await running.ready(with: peer)
      try await peer.release(peer.assignment(mustClaim: true))
      _ = try await peer.nextClaim()
      kill(getpid(), SIGTERM)
      try await noConsumerIsLeft(peer)
      kill(getpid(), SIGTERM)
      await #expect(throws: WorkerError.stoppedAtOnce(unfinished: 0)) { try await running.end() }
    }
    try await eventually("the claimed delivery is back in its queue", within: patience) {
      try await peer.waiting(in: "deposit") == 1
    }
    await peer.close()
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
    var peer = try await WorkerPeer.start()
    let stage = WorkerStage()
    try await withWorker(at: peer.url, ["deposit": 1], stage: stage) { running in
      let before = try await running.ready(with: peer)
      let assignment = peer.assignment()
      try await peer.release(assignment)
      _ = try await stage.nextEntry()
      await running.worker.drain()
      let virtualHost = try BrokerURL(peer.url).virtualHost
      try await BrokerNode.shared.ctl("close_all_connections", "--vhost", virtualHost, "test")
      await peer.close()
      peer = try await WorkerPeer.start(at: peer.url, ledger: peer.ledger)
      let presence = try await peer.welcomeNext(after: before)
      #expect(presence.running.map(\.release) == [assignment.release])
      stage.open()
      #expect(try await peer.nextReport().release == assignment.release)
      _ = try await peer.nextPresence("the goodbye", where: \.isGoodbye)
      try await running.end()
    }
    // Its ack was not possible: whoever is given it claims it, and hears that it is over.
    try await eventually("the delivery is back", within: patience) {
      try await peer.waiting(in: "deposit") == 1
    }
    await peer.close()
  }

  @Test("the first signal drains, the second one closes at once and says how much was unfinished")
  func signals() async throws {
    let peer = try await WorkerPeer.start()
    let stage = WorkerStage()
    try await withWorker(at: peer.url, ["deposit": 1], stage: stage, trapsSignals: true) { running in
      try await running.ready(with: peer)
      try await peer.release(peer.assignment())
      _ = try await stage.nextEntry()
      try await peer.release(peer.assignment())
      kill(getpid(), SIGTERM)
      // What is in the queue stays there: no consumer is left.
      try await noConsumerIsLeft(peer)
      kill(getpid(), SIGTERM)
      await #expect(throws: WorkerError.stoppedAtOnce(unfinished: 1)) { try await running.end() }
    }
    try await eventually("both are back in the queue", within: patience) {
      try await peer.waiting(in: "deposit") == 2
    }
    await peer.close()
  }

  @Test("the first signal after the program's own drain drains too, and closes nothing")
  func signalAfterDrain() async throws {
    let peer = try await WorkerPeer.start()
    let stage = WorkerStage()
    try await withWorker(at: peer.url, ["deposit": 1], stage: stage, trapsSignals: true) { running in
      try await running.ready(with: peer)
      let assignment = peer.assignment()
      try await peer.release(assignment)
      _ = try await stage.nextEntry()
      try await drainAndLeave(running, peer)
      kill(getpid(), SIGTERM)
      // It goes on telling that it runs: these come seconds apart, and one that is closed tells nothing.
      for _ in 0..<3 {
        let presence = try await nextListing(peer)
        #expect(!presence.isGoodbye)
      }
      stage.open()
      #expect(try await peer.nextReport().release == assignment.release)
      _ = try await peer.nextPresence("the goodbye", where: \.isGoodbye)
      try await running.end()
    }
    #expect(try await peer.waiting(in: "deposit") == 0)
    await peer.close()
  }

  @Test("a worker whose departments are gone finishes what it has, says goodbye, and fails")
  func departmentsGone() async throws {
    let peer = try await WorkerPeer.start()
    let stage = WorkerStage()
    try await withWorker(at: peer.url, ["deposit": 1], stage: stage) { running in
      let presence = try await running.ready(with: peer)
      let assignment = peer.assignment()
      try await peer.release(assignment)
      _ = try await stage.nextEntry()
      try await peer.welcome(presence, unknown: ["deposit"])
      try await noConsumerIsLeft(peer)
      stage.open()
      #expect(try await peer.nextReport().release == assignment.release)
      _ = try await peer.nextPresence("the goodbye", where: \.isGoodbye)
      await #expect(throws: WorkerError.unknownDepartments(["deposit"])) { try await running.end() }
    }
    #expect(try await peer.waiting(in: "deposit") == 0)
    await peer.close()
  }

  @Test("cancelling the task closes at once, and cancels the handlers")
  func cancellation() async throws {
    let peer = try await WorkerPeer.start()
    let stage = WorkerStage()
    try await withWorker(at: peer.url, ["deposit": 1], stage: stage) { running in
      try await running.ready(with: peer)
      try await peer.release(peer.assignment())
      _ = try await stage.nextEntry()
      running.cancel()
      await #expect(throws: CancellationError.self) { try await running.end() }
      await #expect(throws: WorkerError.alreadyRun) { try await running.worker.run(trapsSignals: false) }
    }
    try await eventually("the delivery is back in its queue", within: patience) {
      try await peer.waiting(in: "deposit") == 1
    }
    await peer.close()
  }

  /// Drains a worker, and waits until it can be given nothing more.
  private func drainAndLeave(_ running: RunningWorker, _ peer: WorkerPeer) async throws {
    await running.worker.drain()
    try await noConsumerIsLeft(peer)
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
