import Foundation
import JobModel
import TestSupport
import Testing

@testable import Teller

/// Tells whether it was given a deadline that lies ahead.
private struct Deadlined: JobHandler {
  static let kind: JobKind = "deadlined"
  struct Payload: Codable, Sendable {}
  func run(context: JobContext<Payload>) async throws -> Bool {
    guard let deadline = context.deadline else { return false }
    return deadline > .now
  }
}

@Suite("A worker and time limits", .timeLimit(.minutes(10)))
struct WorkerTimeLimitTests {
  @Test("a handler that is cancelled at its time limit fails with a timeout, and may be tried again")
  func timeout() async throws {
    try await withServingWorker { _, peer, stage in
      let assignment = peer.assignment(timeout: .milliseconds(50))
      try await peer.release(assignment)
      let report = try await peer.nextReport()
      #expect(report.release == assignment.release)
      #expect(report.result == .failed(.timeout(.milliseconds(50)), isPermanent: false))
      #expect(report.ran >= .milliseconds(50))
      // Its teller is free.
      stage.open()
      try await peer.release(peer.assignment(timeout: .seconds(3_600)))
      if case .failed = try await peer.nextReport().result { Issue.record("the limit is an hour") }
    }
  }

  @Test("a handler is told when its time limit will have passed")
  func deadline() async throws {
    let register: (Worker) -> Void = { $0.register(Deadlined()) }
    try await withServingWorker(["deposit": 2], stage: WorkerStage(isOpen: true), register: register) { _, peer, _ in
      for (timeout, expected) in [(Duration?.some(.seconds(3_600)), "true"), (nil, "false")] {
        try await peer.release(peer.assignment("deadlined", payload: "{}", timeout: timeout))
        let expected = AttemptResult.succeeded(result: Array(expected.utf8), contentType: "application/json")
        #expect(try await peer.nextReport().result == expected)
      }
    }
  }

  @Test("a handler that does not react is told as stuck and keeps its teller; when it returns after all, that counts")
  func stuck() async throws {
    let latch = WorkerLatch()
    let log = WorkerLog()
    let register: (Worker) -> Void = { $0.register(Stubborn(latch: latch)) }
    try await withServingWorker(
      timeouts: WorkerTimeouts(grace: .milliseconds(100)), stage: WorkerStage(isOpen: true), log: log,
      register: register
    ) { worker, peer, _ in
      // Longer than it takes to begin, on a busy machine too: one that is over before is not begun.
      let hangs = peer.assignment("stubborn", payload: "{}", timeout: .seconds(3))
      try await peer.release(hangs)
      let listing = try await peer.nextPresence("it is told as stuck") { $0.running.contains(where: \.isStuck) }
      #expect(listing.running == [RunningRelease(release: hangs.release, token: 1, isStuck: true)])
      #expect(listing.stuck == ["deposit": 1])
      #expect(await worker.running.worker.tellersCheck == "stuck: 1 of 1 in deposit")
      let next = peer.assignment()
      try await peer.release(next)
      _ = try await peer.nextPresence("it is still stuck") { $0.running.contains(where: \.isStuck) }
      #expect(try await peer.waiting(in: "deposit") == 1)
      #expect(log.messages.count { $0.hasPrefix("stuck: ") } == 1, "said once")
      latch.open()
      let report = try await peer.nextReport()
      #expect(report.release == hangs.release)
      #expect(report.result == .succeeded(result: Array("{}".utf8), contentType: "application/json"))
      #expect(try await peer.nextReport().release == next.release)
      #expect(try await peer.nextPresence("nothing is stuck") { $0.running.isEmpty }.stuck == [:])
      #expect(await worker.running.worker.tellersCheck == nil)
    }
  }

  @Test("behind handlers that keep all threads there is, what has no thread counts with them")
  func noThreadLeft() async throws {
    let latch = WorkerLatch()
    defer { latch.open() }
    let register: (Worker) -> Void = { $0.register(Stubborn(latch: latch)) }
    let (threads, tellers) = (HandlerThreads.most, HandlerThreads.most + 1)
    try await withServingWorker(
      ["deposit": tellers], timeouts: WorkerTimeouts(grace: .milliseconds(100)), stage: WorkerStage(isOpen: true),
      register: register
    ) { worker, peer, _ in
      for _ in 1...tellers { try await peer.release(peer.assignment("stubborn", payload: "{}", timeout: .seconds(5))) }
      _ = try await peer.nextPresence("nobody is left") { $0.stuck == ["deposit": tellers] }
      #expect(latch.count == threads)
      #expect(await worker.running.worker.tellersCheck == "stuck: \(tellers) of \(tellers) in deposit")
      latch.open()
      for _ in 1...tellers { _ = try await peer.nextReport() }
    }
  }

  @Test("a handler that has ended is not stuck, however long the hooks for its failure take")
  func slowHook() async throws {
    let log = WorkerLog()
    let grace: Duration = .seconds(3)
    let register: (Worker) -> Void = { worker in
      worker.register(Late())
      worker.onFailure { _ in try? await Task.sleep(for: grace * 2) }
    }
    try await withServingWorker(timeouts: WorkerTimeouts(grace: grace), log: log, register: register) { _, peer, _ in
      try await peer.release(peer.assignment("late", payload: "", timeout: .milliseconds(50)))
      #expect(try await peer.nextReport().result == .failed(.timeout(.milliseconds(50)), isPermanent: false))
      #expect(!log.messages.contains { $0.hasPrefix("stuck: ") })
    }
  }

  @Test("a handler that is cancelled because its job has ended, and does not react, is told as stuck too")
  func stuckVoid() async throws {
    let latch = WorkerLatch()
    let register: (Worker) -> Void = { $0.register(Stubborn(latch: latch)) }
    try await withServingWorker(
      timeouts: WorkerTimeouts(grace: .zero), stage: WorkerStage(isOpen: true), register: register
    ) { worker, peer, _ in
      let hangs = peer.assignment("stubborn", payload: "{}")
      try await peer.release(hangs)
      try await eventually("the handler blocks", within: patience) { latch.count == 1 }
      try await peer.change(VoidChange(void: [hangs.release], ended: [hangs.release]), worker.id, probe: 1)
      _ = try await peer.nextPresence("it is told as stuck") { $0.running.contains(where: \.isStuck) }
      latch.open()
      #expect(try await peer.nextReport().release == hangs.release)
    }
  }
}

extension Worker {
  /// The first words of what its health says of its tellers; nil: all is well with them.
  fileprivate var tellersCheck: String? {
    get async {
      await health().checks.first { $0.name == "tellers" && !$0.isOK }?.detail.components(separatedBy: ";").first
    }
  }
}
