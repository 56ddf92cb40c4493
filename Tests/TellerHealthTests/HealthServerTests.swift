import JobModel
import Logging
import Metrics
import NIOCore
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import TellerHealth

@Suite("The health server")
struct HealthServerTests {
  private let address = HealthAddress(host: "127.0.0.1", port: 0)
  private let ready = HealthReport([.init("broker", isOK: true, detail: "connected", age: .milliseconds(1_500))])
  private let notReady = HealthReport([
    .init("broker", isOK: true, detail: "connected"), .init("ledger", isOK: false, detail: "never written yet"),
  ])

  /// Where the limits of a connection are not what is tested: on a busy machine an answer may take longer than they are.
  private static let patient = ConnectionLimits(count: 64, idle: .hours(1), lifetime: .hours(1))

  /// Runs a server on a port of its own and the body with its address.
  private func serving<Value: Sendable>(
    _ report: @escaping @Sendable () async -> HealthReport, limits: ConnectionLimits = patient,
    metrics: PrometheusMetrics? = nil, answerLimit: Duration = patience,
    _ body: @escaping @Sendable (HealthAddress) async throws -> Value
  ) async throws -> Value {
    var server = HealthServer(
      on: address, logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), metrics: metrics,
      report: report)
    (server.limits, server.answerLimit) = (limits, answerLimit)
    let bounded = server
    let listening = Mutex<HealthAddress?>(nil)
    let result = Mutex<Value?>(nil)
    try await limited("the server to end") {
      try await bounded.run(listening: { address in listening.withLock { $0 = address } }) {
        let address = try #require(listening.withLock { $0 })
        let value = try await body(address)
        result.withLock { $0 = value }
      }
    }
    return try #require(result.withLock { $0 })
  }

  @Test("answers 200 with the checks when the process is ready")
  func isReady() async throws {
    let ready = ready
    let (document, raw) = try await serving({ ready }) { address in
      (try await HealthProbe.ask(address, within: patience), try await RawConnection.request("GET /ready", to: address))
    }
    #expect(document == HealthDocument(ready))
    #expect(raw.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(raw.lowercased().contains("content-type: application/json"))
    #expect(
      raw.hasSuffix(
        #"{"checks":[{"age_ms":1500,"detail":"connected","name":"broker","ok":true}],"ready":true}"#), "\(raw)")
  }

  @Test("is a service: the shutdown of its group ends it")
  func service() async throws {
    let ready = ready
    let server = HealthServer(on: address, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) { ready }
    let group = ServiceGroup(services: [server], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let running = Task { try await group.run() }
    await group.triggerGracefulShutdown()
    try await limited("the group's end") { try await running.value }
  }

  @Test("answers 503 with the reason when it is not, and still says that it lives")
  func isNotReady() async throws {
    let notReady = notReady
    let (document, raw, health) = try await serving({ notReady }) { address in
      (
        try await HealthProbe.ask(address, within: patience),
        try await RawConnection.request("GET /ready", to: address),
        try await RawConnection.request("GET /health", to: address)
      )
    }
    #expect(!document.ready)
    #expect(document.checks.filter { !$0.ok }.map(\.name) == ["ledger"])
    #expect(raw.hasPrefix("HTTP/1.1 503 "), "\(raw)")
    #expect(health.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(health)")
    #expect(health.contains(#""name":"ledger""#))
  }

  @Test(
    "has nothing else to say",
    arguments: ["GET /", "GET /ready/", "POST /ready", "GET /health/x", "GET /../etc/passwd", "DELETE /health"])
  func nothingElse(line: String) async throws {
    let ready = ready
    let answer = try await serving({ ready }) { try await RawConnection.request(line, to: $0) }
    // Whether the slash at the end counts is the router's matter.
    let isKnown = line == "GET /ready/" && answer.hasPrefix("HTTP/1.1 200 ")
    #expect(isKnown || answer.hasPrefix("HTTP/1.1 404 "), "\(answer)")
    #expect(isKnown || answer.contains("there is GET /health"), "\(answer)")
  }

  @Test("tells its metrics when it has some, in Prometheus's text format, also of a process that hangs")
  func metrics() async throws {
    let metrics = PrometheusMetrics()
    Counter(label: "visits", factory: metrics).increment()
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let ready = ready
    let (answer, other) = try await serving(
      {
        for await _ in gate {}
        return ready
      }, metrics: metrics
    ) { address in
      let answers = (
        try await RawConnection.request("GET /metrics", to: address),
        try await RawConnection.request("GET /metric", to: address)
      )
      opening.finish()
      return answers
    }
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(answer)")
    #expect(answer.lowercased().contains("content-type: text/plain; version=0.0.4; charset=utf-8\r\n"), "\(answer)")
    #expect(answer.hasSuffix("\r\n\r\n" + metrics.text), "\(answer)")
    #expect(other.hasPrefix("HTTP/1.1 404 ") && other.contains("GET /metrics"), "\(other)")
  }

  @Test("without metrics there is no such path, and nobody says that there is")
  func noMetrics() async throws {
    let ready = ready
    let answer = try await serving({ ready }) { try await RawConnection.request("GET /metrics", to: $0) }
    #expect(answer.hasPrefix("HTTP/1.1 404 ") && answer.contains("there is GET /health"), "\(answer)")
    #expect(!answer.contains("/metrics"))
  }

  @Test("answers HEAD like GET, without the body")
  func head() async throws {
    let notReady = notReady
    let answer = try await serving({ notReady }) { try await RawConnection.request("HEAD /ready", to: $0) }
    #expect(answer.hasPrefix("HTTP/1.1 503 "), "\(answer)")
    #expect(answer.hasSuffix("\r\n\r\n"))
  }

  @Test("a process that does not say how it is, is not ready, and lives; it is asked once, however many want to know")
  func hanging() async throws {
    let asked = Atomic(0)
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let ready = ready
    let report = { @Sendable () async -> HealthReport in
      if asked.add(1, ordering: .relaxed).newValue > 1 { return ready }
      for await _ in gate {}
      return ready
    }
    let (documents, health, last) = try await serving(report, answerLimit: HealthServer.answerLimit) { address in
      async let first = HealthProbe.ask(address, within: patience)
      async let second = HealthProbe.ask(address, within: patience)
      async let health = RawConnection.request("GET /health", to: address)
      let answers = (try await [first, second], try await health)
      let times = asked.load(ordering: .relaxed)
      #expect(times == 1)
      opening.finish()
      // The question that was open is answered now, or has been, and the next one is asked anew.
      try await eventually("the process is ready", within: patience) {
        try await HealthProbe.ask(address, within: patience).ready
      }
      return (answers.0, answers.1, try await HealthProbe.ask(address, within: patience))
    }
    for document in documents {
      #expect(!document.ready)
      #expect(document.checks.map(\.name) == ["answer"])
    }
    #expect(health.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(health)")
    #expect(last.ready)
  }

  @Test("connections that ask nothing make room for those that ask, however long they would last")
  func idleConnections() async throws {
    let ready = ready
    let limits = ConnectionLimits(count: 8, idle: .hours(1), lifetime: .hours(1))
    let answers = try await serving({ ready }, limits: limits) { address in
      try await RawConnection.holding(40, to: address) {
        var answers: [Bool] = []
        for _ in 0..<12 { answers.append(try await HealthProbe.ask(address, within: patience).ready) }
        return answers
      }
    }
    #expect(answers.allSatisfy(\.self) && answers.count == 12)
  }

  @Test("a connection that has asked stays open while others come that ask nothing")
  func askedBefore() async throws {
    let ready = ready
    let limits = ConnectionLimits(count: 8, idle: .hours(1), lifetime: .hours(1))
    let answer = try await serving({ ready }, limits: limits) { address in
      try await RawConnection.asking(address) {
        try await RawConnection.holding(40, to: address) {
          // When it answers these, it has met those that came before them.
          for _ in 0..<12 { _ = try await HealthProbe.ask(address, within: patience) }
        }
      }
    }
    #expect(answer.contains(#""ready":true"#), "\(answer)")
  }

  @Test("refuses a header that is too long, and garbage, and goes on")
  func limits() async throws {
    let ready = ready
    let (long, garbage, after) = try await serving({ ready }) { address in
      let header = "x-long: " + String(repeating: "x", count: 64 * 1024)
      return (
        try await RawConnection.send("GET /ready HTTP/1.1\r\n\(header)\r\n\r\n", to: address),
        try await RawConnection.send("\u{0}\u{1}nonsense\r\n\r\n", to: address),
        try await HealthProbe.ask(address, within: patience).ready
      )
    }
    #expect(!long.contains("200 OK"), "\(long)")
    #expect(!garbage.contains("200 OK"), "\(garbage)")
    #expect(after)
  }

  @Test("an address that is taken is an error, and what was to be run beside it is not begun")
  func taken() async throws {
    let ready = ready
    try await serving({ ready }) { address in
      let second = HealthServer(on: address, report: { ready })
      let hasBegun = Atomic(false)
      await #expect(throws: HealthServerError.self) {
        try await second.run { hasBegun.store(true, ordering: .relaxed) }
      }
      let didBegin = hasBegun.load(ordering: .relaxed)
      #expect(!didBegin)
    }
  }

  @Test("ends with what it runs beside, and throws what that throws")
  func ends() async throws {
    struct Broken: Error {}
    let ready = ready
    let seen = Mutex<HealthAddress?>(nil)
    await #expect(throws: Broken.self) {
      try await serving({ ready }) { address in
        seen.withLock { $0 = address }
        throw Broken()
      }
    }
    let address = try #require(seen.withLock { $0 })
    await #expect(throws: HealthProbeError.self) { try await HealthProbe.ask(address) }
  }

  @Test("ends when its task is cancelled")
  func cancelled() async throws {
    let server = HealthServer(on: address, report: { HealthReport([]) })
    let (began, beginning) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await server.run {
        beginning.finish()
        try await Task.sleep(for: .seconds(3_600))
      }
    }
    try await limited("the body to begin") { for await _ in began {} }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await limited("the server to end") { try await task.value } }
  }
}
