import AMQP
import Foundation
import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

/// What somebody changes at the broker and in the files of a process heals without a restart.
@Suite("What is read again for each connection", .timeLimit(.minutes(15)))
struct ReadAgainTests {
  private let folder: TemporaryFolder
  private let log = WorkerLog()

  init() throws { folder = try TemporaryFolder() }

  private var file: URL { folder.appending("broker-url") }

  private func write(_ url: String) throws { try Data("\(url)\n".utf8).write(to: file, options: .atomic) }

  private func configuration(_ more: [String: String] = [:]) throws -> TellerConfiguration {
    try TellerConfiguration.load(environment: ["TELLER_BROKER_URL_FILE": file.path].merging(more) { $1 })
  }

  @Test("a URL from a file is the one of now, with the same files of TLS; one that others could read is not taken")
  func url() async throws {
    try write("amqp://u:one@127.0.0.1/v")
    let source = try configuration(["TELLER_BROKER_CA": "/e/ca"]).brokerSource()
    try write("amqp://u:two@127.0.0.1:7/v")
    #expect(await source.current(log.logger).password == "two" && source.url.port == 7)
    #expect(source.url.tls.caFile == "/e/ca")
    try write("amqp://u:three@broker.invalid/v")
    #expect(await source.current(log.logger).password == "two")
    #expect(log.messages.last?.contains("is not encrypted") == true, "\(log.messages)")
    try write("no URL")
    #expect(await source.current(log.logger).password == "two")
    #expect(log.messages.last?.contains("\(file.path):1: ") == true, "\(log.messages)")
    try write("amqp://u2:four@127.0.0.1/v")
    #expect(await source.current(log.logger).user == "u2")
    let logged = log.messages.joined(separator: "\n")
    for password in ["one", "two", "three", "four"] { #expect(!logged.contains(":\(password)@")) }
  }

  @Test("a coordinator's source keeps its user; a URL of an argument or of the environment has no file")
  func others() async throws {
    try write("amqp://u:one@127.0.0.1/v")
    let kept = try configuration().brokerSource(keepsUser: true)
    try write("amqp://u2:two@127.0.0.1/v")
    #expect(await kept.current(log.logger).user == "u")
    let given = try TellerConfiguration.load(
      broker: "amqp://u:argument@127.0.0.1/v", environment: ["TELLER_BROKER_URL_FILE": file.path])
    #expect(await given.brokerSource().current(log.logger).password == "argument")
    let named = try TellerConfiguration.load(environment: ["TELLER_BROKER_URL": "amqp://u:variable@127.0.0.1/v"])
    #expect(await named.brokerSource().current(log.logger).password == "variable")
  }

  @Test("a file that hangs is named once, and the URL stays; it is read again as soon as it answers")
  func hanging() async throws {
    try write("amqp://u:one@127.0.0.1/v")
    let source = try configuration().brokerSource(patience: .milliseconds(50))
    try FileManager.default.removeItem(at: file)
    try #require(mkfifo(file.path, 0o600) == 0)
    for _ in 1...3 { #expect(await source.current(log.logger).password == "one") }
    let line = "the broker's URL stays as it was: \(file.path) cannot be read: it does not answer in time"
    #expect(log.messages.count { $0.hasPrefix(line) } == 1 && log.messages.count == 1, "\(log.messages)")
    try write("amqp://u:two@127.0.0.1/v")
    try await eventually("the new URL", within: patience) { await source.current(log.logger).password == "two" }
  }

  @Test("a pipe, which cannot be read again, gives its URL once, and no line says so")
  func pipe() async throws {
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data("amqp://u:one@127.0.0.1/v\n".utf8))
    try pipe.fileHandleForWriting.close()
    let environment = ["TELLER_BROKER_URL_FILE": "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"]
    // As at the start, and when settings are read again.
    for _ in 1...2 {
      let source = try TellerConfiguration.load(environment: environment).brokerSource()
      for _ in 1...2 { #expect(await source.current(log.logger).password == "one") }
    }
    #expect(log.messages.isEmpty, "\(log.messages)")
    withExtendedLifetime(pipe) {}
  }

  @Test("a client whose password is another one now goes on with it, on all of its connections")
  func password() async throws {
    let (node, first) = (try await BrokerNode.shared, try await CoordinatorPart.start())
    let url = try BrokerURL(first.url)
    let user = "reading-\(url.virtualHost)"
    func address(_ password: String) -> String {
      "amqp://\(user):\(password)@\(url.host):\(url.port)/\(url.virtualHost)"
    }
    try await node.ctl("add_user", user, "one")
    try await node.ctl("set_permissions", "-p", url.virtualHost, user, ".*", ".*", ".*")
    try write(address("one"))
    var timeouts = ClientTimeouts.quick
    timeouts.request = patience
    let client = try await TellerClient.connect(try configuration(), timeouts: timeouts, logger: log.logger)
    let early = try await client.submit(Deposit.self, .init(cents: 1))
    #expect(try await first.nextJob().id == early.id)

    try await node.ctl("change_password", user, "two")
    try await node.ctl("close_all_connections", "--vhost", url.virtualHost, "a test")
    await first.close()
    try await expect(client, toBeRefusedWith: "ACCESS_REFUSED")
    try write(address("two"))
    let coordinator = try await CoordinatorPart.start(at: first.url)
    let late = try await client.submit(Deposit.self, .init(cents: 2))
    // The ack of the first one may have been lost with its connection.
    var next = try await coordinator.nextJob().id
    while next != late.id { next = try await coordinator.nextJob().id }
    let questions = try await coordinator.answerQuestions()
    _ = try await client.status()
    #expect(log.messages.contains { $0.contains("the broker's URL has changed") }, "\(log.messages)")
    questions.cancel()
    await client.close()
    await coordinator.close()
  }

  @Test("the files of TLS are those of now: the authorities, and the client's certificate with its key")
  func certificates() async throws {
    let node = try await BrokerNode.start(tls: .clients)
    let (tls, others) = (try #require(node.tls), try await Certificates())
    let right = ["ca.pem": tls.ca, "client.pem": tls.certificate, "client.key": tls.key]
    for (name, path) in right { try copy(path, to: name) }
    try write(tls.url(of: try await node.makeVirtualHost()))
    let configuration = try configuration([
      "TELLER_BROKER_CA": path("ca.pem"), "TELLER_BROKER_CERTIFICATE": path("client.pem"),
      "TELLER_BROKER_KEY": path("client.key"),
    ])
    let client = try await TellerClient.connect(configuration, timeouts: .quick, logger: log.logger)
    for (names, words) in [
      (["ca.pem"], "not signed by an authority of \(path("ca.pem"))"),
      (["client.key", "client.pem"], "does not take this side's certificate \(path("client.pem"))"),
    ] {
      for name in names { try copy(others.path(name), to: name) }
      try await node.ctl("close_all_connections", "--vhost", configuration.brokerURL.virtualHost, "a test")
      try await expect(client, toBeRefusedWith: words)
      for name in names { try copy(try #require(right[name]), to: name) }
      try await eventually("it is connected again", within: patience, lastState: { "\(client.standing)" }) {
        client.standing == .connected
      }
    }
    await client.close()
    try await node.close()
  }

  private func path(_ name: String) -> String { folder.appending(name).path }

  private func copy(_ path: String, to name: String) throws {
    try Data(contentsOf: URL(filePath: path)).write(to: folder.appending(name), options: .atomic)
  }

  /// Waits until the broker refuses the client, or the client the broker, with these words.
  private func expect(_ client: TellerClient, toBeRefusedWith words: String) async throws {
    try await eventually("the refusal with \(words)", within: patience, lastState: { "\(client.standing)" }) {
      guard case .refused(let reason) = client.standing else { return false }
      return reason.contains(words)
    }
  }
}
