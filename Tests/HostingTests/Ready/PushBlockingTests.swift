import Foundation
import HostingSupport
import JobModel
import TestSupport
import Testing

@testable import Hosting

@Suite("A push receiver whose user's code blocks its thread", .timeLimit(.minutes(5)))
struct PushBlockingTests {
  /// More than the machine has cores: as many tasks may run at once.
  private static let receivers = max(64, ProcessInfo.processInfo.activeProcessorCount * 2)
  private static let gaveUp = "gave up"

  private let told = ToldCalls()
  private let log = ServiceLog()
  private let gate = Gate()
  /// All are blocked at most until then. Only spent on failure: then nothing else would end the test.
  private let end = Date(timeIntervalSinceNow: patience * 2 / .seconds(1))

  private var limits: PushLimits {
    var limits = PushLimits.quick
    (limits.lastRound, limits.shortLastRound) = (.milliseconds(1), .milliseconds(1))
    return limits
  }

  private var host: HostedServices {
    var limits = ServiceLimits.patient
    // Each of them has its share.
    limits.stop.all = patience * (Self.receivers + 1)
    return HostedServices(logger: log.logger, limits: limits)
  }

  private func block() {
    told.note("blocked")
    if !gate.block(until: end) { told.note(Self.gaveUp) }
  }

  /// The life of a host with a service beside those that block.
  private func live(_ host: HostedServices) async throws {
    host.add(Witness("normal", told))
    await host.start()
    host.show(isOpen: true)
    try await told.wait(for: "blocked", times: Self.receivers)
    host.jobStarted(HostedJob(kind: "deposit", department: "work", attempt: 1))
    try await told.wait(for: "normal jobStarted 1")
    host.drain()
    await host.stop()
    #expect(told.of("normal") == ["started", "opened", "jobStarted 1", "draining", "stopped"])
    #expect(!told.all.contains(Self.gaveUp), "the host has waited for them")
    #expect(!log.lines.contains { $0.contains("left behind") })
    gate.open()
  }

  @Test("in the sink harms nobody: the host goes on, and each push that is left is named")
  func sink() async throws {
    let host = host
    var pushes: [Push] = []
    for _ in 1...Self.receivers {
      let receiver = PushReceiver<AsyncStream<Push>>(nil, limits: limits, logger: log.logger) { _ in block() }
      let two = (1...2).map { _ in Push(id: JobID(), event: "push") }
      for push in two { #expect(await receiver.receive(push)) }
      pushes += two
      host.add(receiver)
    }
    try await live(host)
    let lost = log.lines.filter { $0.hasPrefix("error: pushes of which it is not known") }
    let unnamed = pushes.count { push in !lost.contains { $0.contains("\(push.id)") } }
    #expect(unnamed == 0)
  }

  @Test("in its sequence harms nobody: the host goes on, and the receiver ends")
  func sequence() async throws {
    /// Waits for its next push as a read from a file does.
    struct Reads: AsyncSequence, AsyncIteratorProtocol, Sendable {
      let wait: @Sendable () -> Void
      func makeAsyncIterator() -> Reads { self }
      mutating func next() async -> Push? {
        wait()
        return nil
      }
    }
    let host = host
    for _ in 1...Self.receivers {
      host.add(PushReceiver(Reads { block() }, limits: limits, logger: log.logger) { _ in })
    }
    try await live(host)
  }

  @Test("in its sequence still hands over the pushes that came before")
  func both() async throws {
    struct GivesOne: AsyncSequence, AsyncIteratorProtocol, Sendable {
      let wait: @Sendable () -> Void
      var isGiven = false
      func makeAsyncIterator() -> GivesOne { self }
      mutating func next() async -> Push? {
        if isGiven { wait() }
        defer { isGiven = true }
        return isGiven ? nil : Push(id: JobID(), event: "one")
      }
    }
    let receiver = PushReceiver(GivesOne { block() }, limits: limits, logger: log.logger) { push in
      try await told.wait(for: "blocked")
      told.note("\(push.event)")
    }
    try await receiver.opened()
    try await told.wait(for: "one")
    #expect(told.all == ["blocked", "one"])
    gate.open()
    try await receiver.stopped()
  }
}
