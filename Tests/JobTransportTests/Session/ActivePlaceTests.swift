import AMQP
import BrokerSupport
import Logging
import Synchronization
import TestSupport
import Testing

@testable import JobTransport

@Suite("The place of the one active coordinator of a broker", .timeLimit(.minutes(10)))
struct ActivePlaceTests {
  @Test("who comes second stands by, and has the place once the first is gone")
  func takesOver() async throws {
    let url = try await BrokerNode.shared.makeVirtualHost()
    let first = try Candidate(at: url)
    try await first.becomes(.served)
    let second = try Candidate(at: url)
    try await second.becomes(.standby)
    #expect(first.state == .served)
    await first.end()
    try await second.becomes(.served)
    await second.end()
  }

  @Test("who is no longer served, and is told so by nobody, gives up; it has the place again once that is free")
  func replaced() async throws {
    let url = try BrokerURL(try await BrokerNode.shared.makeVirtualHost())
    let other = try await Connection.patient(to: url)
    try await other.declare(Topology.coordinatorQueue)
    _ = try await other.consume(Topology.Queue.coordinator, options: ConsumeOptions(prefetch: 1))
    let session = BrokerSession(url: url, name: "replaced", logger: Candidate.logger, options: Candidate.options)
    try await limited("the place is given up, and taken") {
      try await session.run { connections in
        let place = try await ActivePlace(on: connections, of: session, hearingLimit: .milliseconds(500))
        let error = await #expect(throws: AMQPError.self) { try await place.hold() }
        #expect(error?.isTransient == true)
        await other.close()
        try await place.take {}
      }
    }
  }
}

/// Somebody who takes the place as soon as it is free, and holds it.
private final class Candidate: Sendable {
  enum State { case begins, standby, served }

  static let logger = Logger(label: "teller.test")
  static let options: BrokerSessionOptions = {
    var options = BrokerSessionOptions()
    options.connections = .patient()
    return options
  }()

  private let shown: Candidate.Shown
  private let task: Task<Void, any Error>

  /// What it shows, apart from its task, which keeps it.
  private final class Shown: Sendable { let state = Mutex(State.begins) }

  init(at url: String) throws {
    let session = BrokerSession(
      url: try BrokerURL(url), name: "candidate", logger: Candidate.logger, options: Candidate.options)
    let shown = Shown()
    self.shown = shown
    task = Task {
      try await session.run { connections in
        let place = try await ActivePlace(on: connections, of: session)
        try await place.take { shown.state.withLock { $0 = .standby } }
        shown.state.withLock { $0 = .served }
        try await place.hold()
      }
    }
  }

  var state: State { shown.state.withLock(\.self) }

  func becomes(_ state: State) async throws {
    try await eventually("the candidate is \(state)", within: patience, lastState: { "\(self.state)" }) {
      self.state == state
    }
  }

  func end() async {
    task.cancel()
    _ = await task.result
  }
}
