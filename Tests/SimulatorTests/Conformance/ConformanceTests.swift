import AMQP
import Foundation
import Simulator
import TestSupport
import Testing

/// The broker that is a value, held against a real one by programs that chance makes: what the real one does, the model must
/// be able to do.
@Suite("The broker that is a value allows what RabbitMQ does")
struct ConformanceTests {
  /// How long what was seen may take to become something that the model allows: only ever spent on failure.
  private static let patience: Duration = .seconds(10)
  private static let steps = 30

  @Test("random programs", arguments: 1...ConformanceRun.programs)
  func programs(seed: UInt64) async throws {
    let node = try await BrokerNode.shared
    let url = try BrokerURL(try await node.makeVirtualHost())
    try await follow(seed, url)
  }

  @Test("a broker that is killed in the middle of a program", arguments: (101...103).map { UInt64($0) })
  func crash(seed: UInt64) async throws {
    let node = try await BrokerNode.start()
    try await follow(seed, try BrokerURL(node.url), killing: node)
    try await node.close()
  }

  @Test("a broker that is short of memory in the middle of a program")
  func alarm() async throws {
    let node = try await BrokerNode.start()
    for seed in 201...(200 + max(6, ConformanceRun.programs / 10)) {
      try await follow(seed, try BrokerURL(try await node.makeVirtualHost()), alarming: node)
    }
    try await node.close()
  }

  private func follow(
    _ seed: UInt64, _ url: BrokerURL, killing node: BrokerNode? = nil, alarming alarmed: BrokerNode? = nil
  ) async throws {
    var program = ConformanceProgram(seed: seed)
    let queue = ConformanceQueue("conformance-\(seed)", &program.random, isCertain: alarmed != nil)
    (program.isDeleting, program.isStream, program.hasAlarms) = (queue.isCounted, queue.isStream, alarmed != nil)
    let real = try await RealSide(url, queue, alarming: alarmed)
    var model = ModelSide(queue, real.manner)
    for number in 1...Self.steps {
      if let node, number % 10 == 0 {
        try await kill(node, real)
        model.crash()
        program.forgetConsumers()
      }
      guard try await doesNext(&program, real, &model, queue) else { return }
    }
    await real.close()
  }

  private func kill(_ node: BrokerNode, _ real: RealSide) async throws {
    try await node.writeDown()
    try await node.kill()
    try await node.start()
    try await real.openLines()
  }

  /// One step, on both sides.
  ///
  /// - Returns: Whether the model has done the same.
  private func doesNext(
    _ program: inout ConformanceProgram, _ real: RealSide, _ model: inout ModelSide, _ queue: ConformanceQueue
  ) async throws -> Bool {
    let step = program.next(real.held)
    var seen = try await real.perform(step)
    let end = ContinuousClock.now + Self.patience
    while !model.follow(step, seen) {
      guard ContinuousClock.now < end else {
        report(program, seen, model.allowed(step), real.manner.rawValue, queue)
        return false
      }
      try await real.lookAgain(&seen)
    }
    return true
  }

  private func report(
    _ program: ConformanceProgram, _ seen: Seen, _ allowed: Set<Seen>, _ version: String, _ queue: ConformanceQueue
  ) {
    let steps = program.steps.map { "\($0)" }.joined(separator: "\n")
    let some = allowed.prefix(8).map { "\($0)" }.joined(separator: "\n")
    Issue.record("\(queue)\n\(steps)\nRabbitMQ \(version) shows\n\(seen)\nthe model allows\n\(some)")
  }
}

/// How many programs are run; the environment variable `TELLER_TEST_PROGRAMS` has another number.
private enum ConformanceRun {
  static let programs = ProcessInfo.processInfo.environment["TELLER_TEST_PROGRAMS"].flatMap { UInt64($0) } ?? 24
}
