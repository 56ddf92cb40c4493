import HostingSupport
import JobModel
import JobTransport
import Synchronization
import Testing
import TestSupport

@testable import Hosting
@testable import Teller

@Suite("The services of a worker", .timeLimit(.minutes(10)))
struct WorkerServicesTests {
  private let told = ToldCalls()
  private let log = WorkerLog()

  @Test("are told of its whole life and of each attempt, in the order in which it happened")
  func life() async throws {
    let told = told
    try await withServingWorker(log: log, register: { $0.add(Witness("a", told)) }) { worker, peer, stage in
      try await told.wait(for: "a opened")
      let first = peer.assignment()
      try await peer.release(first)
      _ = try await stage.nextEntry()
      try await told.wait(for: "a jobStarted 1")
      stage.open(first.release.job)
      #expect(try await peer.nextReport().release == first.release)
      let next = try await worker.loseConnections()
      try await told.wait(for: "a paused")
      try await worker.welcomeAgain()
      try await told.wait(for: "a resumed")
      try await next.release(next.assignment())
      _ = try await stage.nextEntry()
      await worker.drain()
      stage.open()
      _ = try await next.nextReport()
      try await worker.end()
    }
    #expect(
      told.of("a") == [
        "started", "opened", "jobStarted 1", "jobEnded 1 succeeded", "paused", "resumed", "jobStarted 1", "draining",
        "jobEnded 1 succeeded", "stopped",
      ])
  }

  @Test("are told of a pause when all departments are paused, and not when one is left")
  func pausedByOperator() async throws {
    let told = told
    try await withServingWorker(["deposit": 1, "loan": 1], log: log, register: { $0.add(Witness("a", told)) }) {
      worker, peer, _ in
      try await told.wait(for: "a opened")
      try await peer.staff(Staffing(paused: ["deposit"]), worker.id)
      try await worker.echo(1)
      try await peer.staff(Staffing(paused: ["deposit", "loan"]), worker.id)
      try await told.wait(for: "a paused")
      try await peer.staff(Staffing(paused: ["loan"]), worker.id)
      try await told.wait(for: "a resumed")
      await worker.drain()
      try await worker.end()
    }
    #expect(told.of("a") == ["started", "opened", "paused", "resumed", "draining", "stopped"])
  }

  /// A handler that ends in the way that its payload names.
  private struct Ending: JobHandler {
    static let kind: JobKind = "ending"
    struct Payload: Codable, Sendable { var way: String }

    func run(context: JobContext<Payload>) async throws -> NoResult {
      switch context.payload.way {
      case "failed": throw ServiceMistake()
      case "snoozed": try context.snooze(for: .seconds(1))
      case "discarded": try context.discard("nothing to do")
      case "timeout": try await Task.sleep(for: patience)
      default: break
      }
      return NoResult()
    }
  }

  @Test("are told of each end of an attempt", arguments: ["succeeded", "failed", "snoozed", "discarded", "timeout"])
  func ends(way: String) async throws {
    let told = told
    try await withServingWorker(
      log: log,
      register: {
        $0.register(Ending())
        $0.add(Witness("a", told))
      }
    ) { worker, peer, _ in
      try await peer.release(
        peer.assignment("ending", payload: #"{"way":"\#(way)"}"#, timeout: way == "timeout" ? .milliseconds(50) : nil))
      _ = try await peer.nextReport()
      try await told.wait(for: "a jobEnded 1 \(way)")
    }
  }

  @Test("hang, throw or are slow: jobs run and are reported, the drain ends, and a normal service is told everything")
  func harmless() async throws {
    let (told, gate, jobs) = (told, Gate(), 20)
    let stage = WorkerStage(isOpen: true)
    try await withServingWorker(
      ["deposit": 2], stage: stage, log: log,
      register: {
        $0.services.add(Witness("hanging", told) { if $0 == "opened" { await gate.wait() } }, within: .seconds(1))
        $0.services.add(Witness("blocking", told) { if $0 == "jobStarted 1" { gate.block() } }, within: .seconds(1))
        $0.add(Witness("throwing", told) { _ in throw ServiceMistake() })
        $0.add(Witness("slow", told) { if $0.hasPrefix("job") { try await Task.sleep(for: .milliseconds(50)) } })
        $0.add(Witness("normal", told))
      }
    ) { worker, peer, _ in
      for _ in 1...jobs {
        try await peer.release(peer.assignment())
        _ = try await peer.nextReport()
      }
      for name in ["normal", "throwing"] { try await told.wait(for: "\(name) jobEnded 1 succeeded", times: jobs) }
      for call in ["hanging opened", "blocking jobStarted 1"] { try await told.wait(for: call) }
      await worker.drain()
      try await worker.end()
    }
    let life =
      ["started", "opened"] + (1...jobs).flatMap { _ in ["jobStarted 1", "jobEnded 1 succeeded"] }
      + ["draining", "stopped"]
    #expect(told.of("normal") == life)
    #expect(told.of("throwing") == life)
    #expect(told.of("slow").last == "stopped")
    #expect(told.of("hanging") == ["started", "opened"])
    #expect(told.of("blocking") == ["started", "opened", "jobStarted 1"])
    #expect(log.messages.contains { $0.contains("service hanging does not end, and is left behind") })
    gate.open()
  }

  @Test("that hang in their start hold the worker up no longer than their limit")
  func hangingStart() async throws {
    let (told, gate) = (told, Gate())
    try await withServingWorker(
      log: log,
      register: {
        $0.services.add(Witness("hanging", told) { _ in await gate.wait() }, within: .milliseconds(500))
        $0.add(Witness("normal", told))
      }
    ) { worker, peer, stage in
      stage.open()
      try await peer.release(peer.assignment())
      _ = try await peer.nextReport()
      try await told.wait(for: "normal jobEnded 1 succeeded")
      gate.open()
      await worker.drain()
      try await worker.end()
    }
    #expect(told.of("normal") == ["started", "opened", "jobStarted 1", "jobEnded 1 succeeded", "draining", "stopped"])
    #expect(log.messages.contains { $0.contains("service hanging has not started within") })
  }

  @Test("one is taken out by one line: the worker and the others do the same without it")
  func takenOut() async throws {
    func told(with lines: [(Worker, ToldCalls) -> Void]) async throws -> ToldCalls {
      let told = ToldCalls()
      try await withServingWorker(stage: WorkerStage(isOpen: true), register: { for line in lines { line($0, told) } })
      {
        worker, peer, _ in
        try await peer.release(peer.assignment())
        _ = try await peer.nextReport()
        await worker.drain()
        try await worker.end()
      }
      return told
    }
    let lines: [(Worker, ToldCalls) -> Void] = [
      { $0.add(Witness("a", $1)) },
      { $0.add(Witness("b", $1)) },
      { $0.add(Witness("c", $1)) },
    ]
    let all = try await told(with: lines)
    let without = try await told(with: [lines[0], lines[2]])
    for name in ["a", "c"] { #expect(all.of(name) == without.of(name) && all.of(name).count == 6) }
    #expect(all.of("b") == all.of("a") && without.of("b").isEmpty)
    #expect(without.all.filter { $0.hasSuffix("stopped") } == ["c stopped", "a stopped"])
  }

  @Test("of a worker that is closed at once are told that it has stopped")
  func closed() async throws {
    let told = told
    try await withServingWorker(log: log, register: { $0.add(Witness("a", told)) }) { worker, peer, stage in
      try await peer.release(peer.assignment())
      _ = try await stage.nextEntry()
      try await told.wait(for: "a jobStarted 1")
      worker.running.cancel()
      await #expect(throws: CancellationError.self) { try await worker.end() }
      try await told.wait(for: "a stopped")
    }
    #expect(told.of("a").prefix(3) == ["started", "opened", "jobStarted 1"])
    #expect(told.of("a").last == "stopped")
  }

  @Test("of a worker with a mistake in its set-up are told nothing")
  func neverRun() async throws {
    let worker = Worker(try TellerConfiguration(broker: "amqp://127.0.0.1:1/"), departments: ["deposit": 1])
    worker.add(Witness("a", told))
    await #expect(throws: WorkerError.noHandlers) { try await worker.run() }
    #expect(told.all == [])
  }
}
