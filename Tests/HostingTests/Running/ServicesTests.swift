import HostingSupport
import JobModel
import TestSupport
import Testing

@testable import Hosting

@Suite("The services of a host", .timeLimit(.minutes(5)))
struct ServicesTests {
  private let told = ToldCalls()
  private let log = ServiceLog()

  static let everyCall = [
    "started", "opened", "paused", "resumed", "draining", "stopped", "jobStarted 1", "jobEnded 1 succeeded", "received",
  ]

  /// How long one may take to start, to stop, and for its last calls, that is to be cut short before it has begun them all:
  /// far more than it needs to begin, also where hundreds of tests share the processors.
  private static let begun: Duration = .seconds(60)

  /// A host with limits that no service reaches. `services`: for so many the time is enough, each after the other.
  private func host(jobs: Int = 1_000, hanging: Duration = patience, services: Int = 3) -> HostedServices {
    var limits = ServiceLimits.patient
    // Half of it is for the calls that wait, half for the last ones.
    (limits.start.all, limits.stop) = (patience * services, StepLimit(each: patience * 2, all: patience * 2 * services))
    (limits.hanging, limits.look, limits.jobs) = (hanging, .milliseconds(5), jobs)
    return HostedServices(logger: log.logger, limits: limits)
  }

  private func job(_ number: Int) -> HostedJob { HostedJob(kind: "deposit", department: "work", attempt: number) }

  /// A whole life, with a call of each sort. The host does not stop before the normal services have been told of the rest:
  /// on a busy machine they may need longer than a test can give to those that hang.
  private func live(_ host: HostedServices, normal: [String] = [], until call: String? = nil) async throws {
    await host.start()
    host.show(isOpen: true)
    host.jobStarted(job(1))
    host.jobEnded(HostedJobEnd(job(1), .succeeded))
    host.received(EventStatus.example())
    host.show(isOpen: false)
    host.show(isOpen: true)
    host.drain()
    for name in normal { try await told.wait(for: "\(name) draining") }
    if let call { try await told.wait(for: call) }
    await host.stop()
  }

  private static let life = [
    "started", "opened", "jobStarted 1", "jobEnded 1 succeeded", "received", "paused", "resumed", "draining", "stopped",
  ]

  @Test("start one after the other, in their order, and stop in reverse")
  func order() async throws {
    let (patient, other) = (host(), host())
    for name in ["a", "b", "c"] {
      patient.add(
        Witness(name, told) { call in
          await Task.yield()
          told.note("\(name) \(call)!")
        })
    }
    await patient.start()
    #expect(told.all == ["a started", "a started!", "b started", "b started!", "c started", "c started!"])
    await patient.stop()
    #expect(
      told.all.dropFirst(6) == ["c stopped", "c stopped!", "b stopped", "b stopped!", "a stopped", "a stopped!"])
    other.add(Witness("d", told))
    await other.stop()
    #expect(told.all.count == 12, "a host that has not started tells nobody")
  }

  @Test("one that throws in every call is logged, and goes on being told; the others are told as if it were not there")
  func throwing() async throws {
    let host = host()
    host.add(Witness("before", told))
    host.add(Witness("thrower", told) { _ in throw ServiceMistake() })
    host.add(Witness("after", told))
    try await live(host)
    for name in ["before", "thrower", "after"] { #expect(told.of(name) == Self.life) }
    for call in ["started", "jobStarted", "jobEnded", "received", "stopped"] {
      #expect(
        log.lines.contains {
          $0.hasPrefix("warning: service thrower threw in \(call) ") && $0.contains("ServiceMistake")
        })
    }
    #expect(log.lines.count == Self.life.count)
  }

  @Test(
    "one that hangs in a call is logged once; the host goes on, and the others are told everything",
    arguments: everyCall)
  func hanging(call: String) async throws {
    let (host, gate) = (host(), Gate())
    host.add(Witness("before", told))
    // All others are in the call by the time they are to stop.
    let limit = call == "stopped" ? Self.begun : .seconds(1)
    host.add(Witness("hanger", told) { if $0 == call { await gate.wait() } }, within: limit)
    host.add(Witness("after", told))
    try await live(host, normal: ["before", "after"], until: "hanger \(call == "stopped" ? "draining" : call)")
    for name in ["before", "after"] { #expect(told.of(name) == Self.life) }
    #expect(told.of("hanger") == Array(Self.life.prefix { $0 != call }) + [call])
    #expect(log.lines.contains { $0.contains("hanger does not end, and is left behind") })
    gate.open()
  }

  @Test(
    "a call that does not end is logged while the host runs, and so is its end",
    arguments: everyCall)
  func overdue(call: String) async throws {
    let (host, gate) = (host(hanging: .milliseconds(1)), Gate())
    host.add(Witness("hanger", told) { if $0 == call { await gate.wait() } })
    let living = Task { try await live(host) }
    try await log.wait(for: "service hanger hangs: \(call.prefix { $0 != " " }) has not ended")
    gate.open()
    try await log.wait(for: "service hanger goes on: \(call.prefix { $0 != " " }) has ended")
    try await living.value
    #expect(told.of("hanger") == Self.life)
    #expect(log.lines.count { $0.contains("hanger hangs: \(call.prefix { $0 != " " })") } == 1)
  }

  @Test("some that block their threads, more than the machine has cores, harm nobody")
  func blocking() async throws {
    let (blockers, gate) = (64, Gate())
    let host = host(services: blockers + 1)
    defer { gate.open() }
    for number in 1...blockers { host.add(Witness("blocker\(number)", told) { if $0 == "opened" { gate.block() } }) }
    host.add(Witness("normal", told))
    let living = Task { try await live(host, normal: ["normal"]) }
    // The host stops the last one first.
    try await told.wait(for: "normal stopped")
    #expect(told.of("normal") == Self.life)
    gate.open()
    try await living.value
  }

  @Test("a slow one is told the same as the others, later")
  func slow() async throws {
    let (host, gate) = (host(), Gate())
    host.add(Witness("slow", told) { _ in if told.all.contains("slow opened") { await gate.wait() } })
    host.add(Witness("normal", told))
    let living = Task { try await live(host) }
    // The host stops the last one first: it is done with its life while the slow one is in its second call.
    // Where the slow one gets no processor, it has not even begun that call by then.
    try await told.wait(for: "normal stopped")
    #expect(told.of("normal") == Self.life)
    try await told.wait(for: "slow opened")
    #expect(told.of("slow") == ["started", "opened"])
    gate.open()
    try await living.value
    #expect(told.of("slow") == Self.life)
  }

  @Test("one that is too slow misses the oldest calls about jobs; that is logged once, and counted")
  func full() async throws {
    let (host, gate) = (host(jobs: 10, hanging: patience * 10), Gate())
    host.add(Witness("slow", told) { if $0 == "opened" { await gate.wait() } })
    host.add(Witness("normal", told))
    await host.start()
    host.show(isOpen: true)
    try await told.wait(for: "slow opened")
    for number in 1...30 {
      host.jobStarted(job(number))
      try await told.wait(for: "normal jobStarted \(number)")
    }
    #expect(
      log.lines == [
        "warning: service slow is too slow: 10 calls about jobs wait for it, and the oldest ones are dropped"
      ])
    gate.open()
    try await log.wait(for: "service slow has caught up; 20 calls about jobs were dropped")
    #expect(told.of("slow") == ["started", "opened"] + (21...30).map { "jobStarted \($0)" })
    await host.stop()
    #expect(told.of("slow").last == "stopped")
  }

  @Test("events that a slow one misses are logged by their ids")
  func lostEvents() async throws {
    var limits = ServiceLimits()
    limits.events = 2
    limits.stop = StepLimit(each: patience, all: patience)
    let (host, gate) = (HostedServices(logger: log.logger, limits: limits), Gate())
    host.add(Witness("slow", told) { if $0 == "opened" { await gate.wait() } })
    await host.start()
    host.show(isOpen: true)
    try await told.wait(for: "slow opened")
    let events = (1...4).map { _ in EventStatus.example() }
    for event in events { host.received(event) }
    for event in events.prefix(2) { try await log.wait(for: "error: service slow was not told of event \(event.id)") }
    gate.open()
    await host.stop()
    #expect(told.of("slow") == ["started", "opened", "received", "received", "stopped"])
  }

  @Test("one that is too slow to stop is cut short: its call is cancelled, and it is told the rest of its life")
  func cutShort() async throws {
    let host = host()
    host.add(
      Witness("slow", told) { if $0 == "jobStarted 1" { try await Task.sleep(for: patience * 2) } }, within: Self.begun)
    await host.start()
    host.show(isOpen: true)
    for number in 1...50 { host.jobStarted(job(number)) }
    try await told.wait(for: "slow jobStarted 1")
    host.drain()
    await host.stop()
    #expect(told.of("slow") == ["started", "opened", "jobStarted 1", "draining", "stopped"])
    try await log.wait(for: "service slow was too slow to stop and was cut short; 49 calls about jobs were dropped")
    #expect(log.lines.contains { $0.contains("threw in jobStarted") && $0.contains("CancellationError") })
  }

  @Test("a host can wait for the drain of all, and within a limit for one that hangs in it")
  func settling() async throws {
    let (host, gate) = (host(), Gate())
    host.add(Witness("slow", told) { if $0 == "draining" { await gate.wait() } })
    await host.start()
    host.drain()
    try await told.wait(for: "slow draining")
    await host.settle(within: .milliseconds(1))
    told.note("waited in vain")
    let settling = Task {
      await host.settle(within: patience)
      told.note("waited")
    }
    told.note("goes on")
    gate.open()
    await settling.value
    #expect(told.all == ["slow started", "slow draining", "waited in vain", "goes on", "waited"])
    await host.stop()
  }

  @Test("a host that ends at once tells nothing but the rest of the life cycle, also when its own task is cancelled")
  func atOnce() async throws {
    let (host, gate) = (host(), Gate())
    host.add(Witness("slow", told) { if $0 == "opened" { await gate.wait() } })
    host.add(Witness("normal", told))
    await host.start()
    host.show(isOpen: true)
    try await told.wait(for: "slow opened")
    for number in 1...5 { host.jobStarted(job(number)) }
    let ending = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await host.stop(atOnce: true)
    }
    try await told.wait(for: "normal stopped")
    #expect(told.of("slow") == ["started", "opened"])
    gate.open()
    try await limited("the end") { await ending.value }
  }

  @Test("one that is added later is told how the host stands; one that is added after the end is told nothing")
  func late() async throws {
    let host = host()
    host.add(Witness("early", told))
    await host.start()
    host.show(isOpen: true)
    host.show(isOpen: false)
    host.add(Witness("late", told))
    host.show(isOpen: true)
    await host.stop()
    #expect(told.of("late") == ["started", "opened", "paused", "resumed", "stopped"])
    host.add(Witness("too late", told))
    host.show(isOpen: true)
    #expect(told.of("too late") == [])
    #expect(log.lines.contains { $0.contains("service too late was added after the end of its host") })
  }

  @Test("nothing is told after stopped, and a host lets go of its services then")
  func afterTheEnd() async throws {
    final class Held: HostedService {
      let gone: ToldCalls
      init(_ gone: ToldCalls) { self.gone = gone }
      deinit { gone.note("gone") }
    }
    let host = host()
    host.add(Witness("a", told))
    host.add(Held(told))
    try await live(host)
    host.jobStarted(job(2))
    host.show(isOpen: false)
    host.drain()
    await host.stop()
    try await told.wait(for: "gone")
    #expect(told.of("a") == Self.life)
  }

  @Test("a host without a service says so")
  func none() {
    let host = host()
    #expect(host.ifAny == nil)
    host.add(Witness("a", told))
    #expect(host.ifAny === host)
  }
}

extension EventStatus {
  static func example() -> EventStatus {
    EventStatus(
      id: JobID(), name: "push", plan: "day", state: .kept, department: "work", kind: "push", receivedAt: .now(),
      decidedAt: nil)
  }
}
