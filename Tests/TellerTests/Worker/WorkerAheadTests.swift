import BrokerSupport
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Teller

@Suite("A worker that takes jobs ahead", .timeLimit(.minutes(10)))
struct WorkerAheadTests {
  /// Runs one job, and has taken others ahead, which its presence lists.
  private func withJobsAhead(
    _ count: Int, priorities: [Priority] = [], left: Int? = nil,
    _ body: (ServingWorker, WorkerPeer, WorkerStage, _ running: Assignment, _ ahead: [Assignment]) async throws -> Void
  ) async throws {
    try await withServingWorker(left: left) { worker, peer, stage in
      try await takeAhead(count, peer, worker.id)
      let running = peer.assignment()
      try await peer.release(running)
      _ = try await stage.nextEntry()
      let ahead = (0..<count).map { peer.assignment(priority: priorities.isEmpty ? .normal : priorities[$0]) }
      for assignment in ahead { try await peer.release(assignment) }
      _ = try await peer.nextPresence("all are listed") { $0.waiting.count == count }
      try await body(worker, peer, stage, running, ahead)
    }
  }

  private func takeAhead(_ count: Int, _ peer: WorkerPeer, _ worker: WorkerID) async throws {
    let ahead = count == 0 ? [:] : ["deposit": count]
    try await peer.staff(Staffing(ahead: ahead), worker)
    _ = try await peer.nextPresence("it says so") { $0.ahead == ahead }
  }

  @Test("lists them as waiting, does not run them, and begins the next without a claim when a handler ends")
  func next() async throws {
    try await withJobsAhead(2) { worker, peer, stage, running, ahead in
      let presence = try await worker.echo(1)
      #expect(Set(presence.waiting) == Set(ahead.map { WaitingRelease(release: $0.release, token: $0.token) }))
      #expect(presence.running.map(\.release) == [running.release])
      #expect(stage.entries.count == 1)
      stage.open(running.job)
      #expect(try await stage.nextEntry().job == ahead[0].job)
      #expect(try await peer.nextReport().release == running.release)
      stage.open()
      for assignment in ahead { #expect(try await peer.nextReport().release == assignment.release) }
      #expect(stage.mostRunning == 1)
    }
  }

  @Test("begins the next one before the report of the last one is confirmed")
  func unconfirmed() async throws {
    let node = try await BrokerNode.start()
    let (peer, stage) = (try await WorkerPeer.start(at: node.url), WorkerStage())
    try await withWorker(at: node.url, ["deposit": 1], stage: stage) { running in
      // Longer than the alarm: else what waits would have to be claimed.
      peer.want(staffing: Staffing(ahead: ["deposit": 1]), leaseMs: 3_600_000)
      let presence = try await running.ready(with: peer)
      let jobs = (0..<2).map { _ in peer.assignment() }
      for job in jobs { try await peer.release(job) }
      _ = try await stage.nextEntry()
      _ = try await peer.nextPresence("one waits") { !$0.waiting.isEmpty }
      // The broker takes no message, and confirms none.
      try await node.ctl("set_vm_memory_high_watermark", "0.0000001")
      stage.open(jobs[0].job)
      #expect(try await stage.nextEntry().job == jobs[1].job)
      try await node.ctl("set_vm_memory_high_watermark", "0.4")
      stage.open()
      for job in jobs { #expect(try await peer.nextReport().release == job.release) }
      try await peer.nothingInHand(of: presence.worker)
    }
    await peer.close()
    try await node.close()
  }

  @Test("begins with the most urgent of them, and takes no more than that many")
  func urgent() async throws {
    try await withJobsAhead(3, priorities: [1, 8, 8], left: 0) { worker, peer, stage, running, ahead in
      let late = peer.assignment(priority: 9)
      try await peer.release(late)
      _ = try await worker.echo(1)
      #expect(try await peer.waiting(in: "deposit") == 1, "it is left to the others")
      stage.open(running.job)
      #expect(try await stage.nextEntry().job == ahead[1].job, "of two that are as urgent, the first to come")
      _ = try await peer.nextReport()
      // Its ack makes room for another one in hand.
      try await eventually("the urgent one is delivered", within: patience) {
        try await peer.waiting(in: "deposit") == 0
      }
      _ = try await worker.echo(2)
      stage.open()
      for _ in 0..<4 { _ = try await peer.nextReport() }
      #expect(stage.entries.map(\.job) == [running, ahead[1], late, ahead[2], ahead[0]].map(\.job))
    }
  }

  @Test("gives them back when it drains, is paused, has fewer tellers or is to take fewer, and lists them no more")
  func givenBack() async throws {
    let orders = [
      Staffing(isToDrain: true), Staffing(paused: ["deposit"], ahead: ["deposit": 2]),
      Staffing(tellers: ["deposit": 0], ahead: ["deposit": 2]), Staffing(),
    ]
    for order in orders {
      try await withJobsAhead(2, left: 2) { worker, peer, stage, running, _ in
        try await peer.staff(order, worker.id)
        try await eventually("they are given back", within: patience) { try await peer.waiting(in: "deposit") == 2 }
        let presence = try await worker.echo(1)
        #expect(presence.waiting.isEmpty && presence.running.map(\.release) == [running.release])
        try await peer.staff(Staffing(paused: ["deposit"], isToDrain: order.isToDrain), worker.id)
        stage.open(running.job)
        #expect(try await peer.nextReport().release == running.release)
        #expect(stage.entries.map(\.job) == [running.job])
        if !order.isToDrain { try await peer.nothingInHand(of: worker.id) }
      }
    }
  }

  @Test("drops what becomes void while it waits, at once")
  func void() async throws {
    try await withJobsAhead(2, left: 0) { worker, peer, stage, running, ahead in
      try await peer.change(VoidChange(void: [ahead[0].release], ended: [ahead[0].release]), worker.id, probe: 1)
      #expect(try await peer.nextDropped().release == ahead[0].release)
      stage.open()
      #expect(try await peer.nextReport().release == running.release)
      #expect(try await peer.nextReport().release == ahead[1].release)
      #expect(stage.entries.map(\.job) == [running.job, ahead[1].job])
      try await peer.nothingInHand(of: worker.id)
    }
  }

  @Test("claims what must be claimed only when a teller is free")
  func claims() async throws {
    try await withServingWorker(left: 0) { worker, peer, stage in
      try await takeAhead(1, peer, worker.id)
      let (running, asked) = (peer.assignment(), peer.assignment(mustClaim: true))
      try await peer.release(running)
      _ = try await stage.nextEntry()
      try await peer.release(asked)
      let presence = try await peer.nextPresence("it waits") { !$0.waiting.isEmpty }
      #expect(presence.waiting == [WaitingRelease(release: asked.release, token: asked.token, mustClaim: true)])
      stage.open()
      let messages = [try await peer.nextMessage("a report or a claim"), try await peer.nextMessage("the other")]
      let claims = messages.compactMap { if case .claims(let claims) = $0 { claims.first } else { nil } }
      #expect(claims.map(\.release) == [asked.release], "\(messages)")
      try await peer.answer(claims, number: nil) { _ in .run(token: 2, attempt: 1) }
      #expect(try await peer.nextReport().token == 2)
      try await peer.nothingInHand(of: worker.id)
    }
  }

  @Test("lost with the connection, they come again and are claimed; after another welcome they are claimed, too")
  func disconnected() async throws {
    try await withJobsAhead(1) { worker, _, stage, running, ahead in
      let peer = try await worker.loseConnections()
      peer.want(staffing: Staffing(ahead: ["deposit": 1]))
      try await worker.welcomeAgain()
      let again = try await peer.nextPresence("it waits again") { !$0.waiting.isEmpty }
      #expect(again.waiting.map(\.release) == [ahead[0].release] && again.waiting.allSatisfy(\.mustClaim))
      stage.open()
      var claim: ClaimRequest?
      while claim == nil {
        if case .claims(let claims) = try await peer.nextMessage("a claim") { claim = claims.first }
      }
      let asked = try #require(claim)
      #expect(asked.release == ahead[0].release)
      try await peer.answer(asked, .drop)
      try await peer.nothingInHand(of: worker.id)
      #expect(stage.entries.map(\.job) == [running.job])
    }
    try await withJobsAhead(1) { worker, peer, stage, running, ahead in
      try await peer.welcome(worker.welcomed)
      let echo = try await worker.echo(1)
      #expect(echo.waiting.map(\.mustClaim) == [true])
      stage.open()
      #expect(try await peer.nextReport().release == running.release)
      let claim = try await peer.nextClaim()
      #expect(claim.release == ahead[0].release)
      try await peer.answer(claim, .drop)
      try await peer.nothingInHand(of: worker.id)
    }
  }

  @Test("after a silence they are claimed: the coordinator may have given the worker up")
  func silent() async throws {
    try await withJobsAhead(1) { worker, peer, stage, running, ahead in
      await worker.running.worker.loop.fallSilent()
      stage.open()
      let messages = [try await peer.nextMessage("a report or a claim"), try await peer.nextMessage("the other")]
      let claims = messages.compactMap { if case .claims(let claims) = $0 { claims.first } else { nil } }
      #expect(claims.map(\.release) == [ahead[0].release], "\(messages)")
      try await peer.answer(claims, number: nil) { _ in .drop }
      try await peer.nothingInHand(of: worker.id)
      #expect(stage.entries.map(\.job) == [running.job])
    }
  }

  @Test("what is delivered before the pulse of after a silence is claimed, and what comes behind it is not")
  func doubtful() async throws {
    try await withServingWorker(left: 0) { worker, peer, stage in
      let (doubted, fresh) = (peer.assignment(), peer.assignment())
      await worker.running.worker.loop.doubt()
      try await peer.release(doubted)
      let claim = try await peer.nextClaim()
      #expect(claim.release == doubted.release)
      try await peer.answer(claim, .drop)
      try await peer.nothingInHand(of: worker.id)
      await worker.running.worker.loop.fallSilent()
      try await eventually("it believes again", within: patience) {
        await !worker.running.worker.loop.state.pulses.isDoubtful
      }
      try await peer.release(fresh)
      stage.open()
      #expect(try await peer.nextReport().release == fresh.release)
      #expect(stage.entries.map(\.job) == [fresh.job])
    }
  }

  @Test("gives back what has waited for longer than ten seconds, and takes it again later when nobody else does")
  func tooLong() async throws {
    try await withJobsAhead(1) { worker, peer, stage, running, ahead in
      try await eventually("it is given back", within: patience) { try await peer.waiting(in: "deposit") == 1 }
      #expect(try await worker.echo(1).waiting.isEmpty)
      let again = try await peer.nextPresence("it has come again") { $0.waiting.contains(where: \.mustClaim) }
      #expect(again.waiting.map(\.release) == [ahead[0].release])
      stage.open()
      _ = try await peer.nextReport()
      let claim = try await peer.nextClaim()
      #expect(claim.release == ahead[0].release)
      try await peer.answer(claim, .drop)
      #expect(stage.entries.map(\.job) == [running.job])
      try await peer.nothingInHand(of: worker.id)
    }
  }
}

extension WorkerLoop {
  /// As if it had not worked for long.
  func fallSilent() { state.workedAt -= timeouts.silence * 2 }

  /// As if it had sent a pulse long ago that has not come back.
  func losePulse() { state.pulses.send(at: .now - timeouts.silence * 2) }

  /// As if its next pulse were far behind what is delivered.
  fileprivate func doubt() { state.pulses.awaited = .max }
}
