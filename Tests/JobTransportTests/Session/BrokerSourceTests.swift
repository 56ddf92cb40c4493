import BrokerSupport
import JobModel
import Logging
import Synchronization
import TestSupport
import Testing

@testable import AMQP
@testable import JobTransport

@Suite("The broker's URL, read again", .timeLimit(.minutes(10)))
struct BrokerSourceTests {
  private struct Unreadable: Error, CustomStringConvertible {
    let description = "the file cannot be read"
  }

  private let log = LogRecord()

  private func url(_ text: String) throws -> BrokerURL { try BrokerURL(text) }

  @Test("is the one of now for each connection; what cannot be read leaves the last one, and is logged once")
  func readAgain() async throws {
    let first = try url("amqp://u:one@h/v")
    let file = Mutex<BrokerURL?>(first)
    let source = BrokerSource(first) {
      guard let url = file.withLock({ $0 }) else { throw Unreadable() }
      return url
    }
    #expect(await source.current(log.logger) == first)
    let second = try url("amqp://u2:two@other:1,third/v")
    file.withLock { $0 = second }
    #expect(await source.current(log.logger) == second && source.url == second)
    file.withLock { $0 = nil }
    for _ in 1...3 { #expect(await source.current(log.logger) == second) }
    #expect(log.text.contains("the file cannot be read") && !log.text.contains("two") && !log.text.contains("one"))
    #expect(log.text.split(separator: "\n").count { $0.contains("stays as it was") } == 1)
    file.withLock { $0 = first }
    #expect(await source.current(log.logger) == first)
    // A line to a node has the password of now.
    #expect(await source.current(of: try url("amqp://x:y@node:7/z"), log.logger) == (try url("amqp://u:one@node:7/v")))
  }

  @Test("ends its wait with the task, without a line, and keeps what it had")
  func cancelled() async throws {
    let first = try url("amqp://u:one@h/v")
    let isRead = AsyncStream.makeStream(of: Void.self)
    let source = BrokerSource(first) {
      isRead.continuation.yield()
      try await Task.sleep(for: .seconds(3_600))
      throw Unreadable()
    }
    let reading = Task { [log] in await source.current(log.logger) }
    try await limited("the reading") { for await _ in isRead.stream { return } }
    reading.cancel()
    let kept = try await limited("the end of the wait") { await reading.value }
    #expect(kept == first)
    #expect(log.text.isEmpty, "\(log.text)")
  }

  @Test("another virtual host is another system: it is not taken; and a coordinator keeps its user")
  func kept() throws {
    let first = try url("amqp://u:one@h/v")
    let source = BrokerSource(first, keepsUser: true)
    source.take(try url("amqp://u:one@h/w"), log.logger)
    source.take(try url("amqp://u2:one@h/v"), log.logger)
    #expect(source.url == first)
    #expect(log.text.contains("virtual host") && log.text.contains("user"))
    source.take(try url("amqp://u:two@h/v"), log.logger)
    #expect(source.url.password == "two")
  }

  @Test("a rotated password heals without a restart, and meanwhile the health names the refusal")
  func rotated() async throws {
    var first = try url(try await BrokerNode.shared.makeVirtualHost())
    let user = "rotating-\(first.virtualHost)"
    try await BrokerNode.shared.ctl("add_user", user, "one")
    try await BrokerNode.shared.ctl("set_permissions", "-p", first.virtualHost, user, ".*", ".*", ".*")
    (first.user, first.password) = (user, "one")
    let file = Mutex(first)
    let source = BrokerSource(first) { file.withLock { $0 } }
    var options = BrokerSessionOptions()
    options.connections = .patient()
    let session = BrokerSession(source, name: "rotating", logger: log.logger, options: options)
    let rounds = Mutex(0)
    let running = Task {
      try await session.run { _ in
        let round = rounds.withLock { round in
          round += 1
          return round
        }
        if round == 1 {
          try await BrokerNode.shared.ctl("change_password", user, "two")
          throw AMQPError.connectionLost(reason: "for the test")
        }
      }
    }
    try await eventually("the broker refuses the old password", within: patience) {
      session.isRefused && session.check.detail.contains("ACCESS_REFUSED") && !session.check.isOK
    }
    #expect(log.text.contains("broker refuses"))
    file.withLock { $0.password = "two" }
    try await limited("it connects with the new one") { try await running.value }
    #expect(rounds.withLock { $0 } == 2)
    #expect(!session.isRefused)
  }
}
