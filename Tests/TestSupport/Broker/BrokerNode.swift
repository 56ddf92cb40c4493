import Foundation

/// A real broker for tests, run by `Deploy/broker`: Debian's RabbitMQ as a private process or, when the environment
/// variable `TELLER_TEST_BROKER_IMAGE` names an image, a container. It ends with the test process, however that ends.
///
/// Without a broker the tests fail. They are never skipped: a green run has met a real broker.
package actor BrokerNode {
  /// The broker that tests share which do no harm to it: each makes a virtual host of its own. Started at first use.
  package static var shared: BrokerNode {
    get async throws { try await sharedStart.value }
  }
  private static let sharedStart = Task { try await start() }

  /// Starting takes 5 seconds; a minute and more where ten brokers and hundreds of tests start at the same time. Longer
  /// than `Deploy/broker` waits for a node: its answer says what was wrong.
  private static let startLimit = Duration.seconds(240)
  private static let answerLimit = Duration.seconds(240)

  /// The address of its first virtual host, with user and password: `amqp://user:password@127.0.0.1:port/`. It stays
  /// the same through `kill`, `stop`, `wipe` and `start`.
  package nonisolated let url: String
  /// Where it listens for TLS, when it was started with it.
  package nonisolated let tls: BrokerTLSNode?
  /// The address of its management API, with user and password, when it was started with it.
  package nonisolated let management: String?
  private let process: RunningProcess
  private var readLines: Int
  private var lastTurn: Task<Void, Never>?

  private init(url: String, tls: BrokerTLSNode?, management: String?, process: RunningProcess, readLines: Int) {
    self.url = url
    self.tls = tls
    self.management = management
    self.process = process
    self.readLines = readLines
  }

  /// Who may come over TLS, beside those who come without.
  package enum TLSGuests: String, Sendable {
    /// Everybody with a password.
    case everybody = "--tls"
    /// Those who show a certificate, too.
    case clients = "--tls-clients"
  }

  /// Starts a broker of its own, for a test that kills, freezes or empties it.
  /// - Parameters:
  ///   - guests: who may come over TLS; `nil`: it does not listen for that.
  ///   - settings: further lines of `rabbitmq.conf`.
  ///   - hasManagement: whether it has its management API.
  /// - Returns: the broker, which accepts AMQP.
  /// - Throws: `ProcessEnded` with the reason when there is no broker to start, or `TimeLimitExceeded`.
  package static func start(
    tls guests: TLSGuests? = nil, settings: [String] = [], hasManagement: Bool = false
  ) async throws -> BrokerNode {
    let image = ProcessInfo.processInfo.environment["TELLER_TEST_BROKER_IMAGE"] ?? ""
    let lines = settings.flatMap { ["--setting", $0] }
    let options = (guests.map { [$0.rawValue] } ?? []) + (hasManagement ? ["--management"] : [])
    return try await start((image.isEmpty ? [] : ["--image", image]) + options + lines)
  }

  /// Starts a broker of three nodes, each a container: `TELLER_TEST_BROKER_IMAGE`, or the one that is deployed. Its
  /// addresses, and those of its virtual hosts, have the ports of all.
  package static func startCluster() async throws -> BrokerNode {
    let image = ProcessInfo.processInfo.environment["TELLER_TEST_BROKER_IMAGE"] ?? "rabbitmq:4-management"
    return try await start(["--cluster", image])
  }

  private static func start(_ arguments: [String]) async throws -> BrokerNode {
    let process = try RunningProcess.launch(
      PackageFolder.url.appending(path: "Deploy/broker"), arguments: arguments, ending: .inputCloses)
    let line = try await process.record.line(since: 0, named: "ready", within: startLimit) {
      $0.stream == .standardOutput && $0.text.hasPrefix("ready ")
    }
    let tls = process.text(of: .standardOutput).lazy.compactMap(BrokerTLSNode.init(line:)).first
    let management = process.text(of: .standardOutput).first { $0.hasPrefix("management ") }?.dropFirst(11)
    return BrokerNode(
      url: String(line.text.dropFirst(6)), tls: tls, management: management.map { String($0) }, process: process,
      readLines: line.number + 1)
  }

  /// Makes a virtual host that nobody else has.
  /// - Returns: its address, with user and password.
  package func makeVirtualHost() async throws -> String {
    let name = "test-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    return try await command("vhost \(name)").result
  }

  /// Has the broker write down now which queues of a replicated type it has, instead of within minutes. One that is
  /// killed before that does not find a stream again that was just made (3.10.8: its coordinator is not started, and the
  /// stream stays down for good); what was published to older ones is safe with or without this.
  package func writeDown() async throws {
    _ = try await ctl("eval", "[dets:sync(T)||T<-dets:all()].")
  }

  /// kill -9 of the broker, also of a frozen one. Its disk stays.
  package func kill() async throws { try await command("kill") }

  /// Starts it again after `kill`, `stop` or `wipe`, and waits until it accepts AMQP.
  package func start() async throws { try await command("start") }

  /// kill -9 of one of its nodes, by its number from 1.
  package func kill(node: Int) async throws { try await command("kill \(node)") }

  /// Starts that node again, and waits until it accepts AMQP.
  package func start(node: Int) async throws { try await command("start \(node)") }

  /// Stops that node in good order.
  package func stop(node: Int) async throws { try await command("stop \(node)") }

  /// Freezes that node until it is killed: its connections, to other nodes as well, stay open, and nobody answers.
  package func freeze(node: Int) async throws { try await command("freeze \(node)") }

  /// Stops it in good order.
  package func stop() async throws { try await command("stop") }

  /// Stops its process in the middle of what it does: connections stay open, and nobody answers.
  package func freeze() async throws { try await command("freeze") }

  /// Lets it go on after `freeze`.
  package func thaw() async throws { try await command("thaw") }

  /// Kills it and deletes its disk: `start` makes an empty broker with the same address, user and password.
  package func wipe() async throws { try await command("wipe") }

  /// Runs `rabbitmqctl`, which takes more than a second.
  /// - Returns: its output, one line of text each.
  /// - Throws: `BrokerRefusal` with the output when it fails.
  @discardableResult
  package func ctl(_ arguments: String...) async throws -> String { try await ctl(arguments) }

  @discardableResult
  package func ctl(_ arguments: [String]) async throws -> String {
    let answer = try await command((["ctl"] + arguments.map(Self.escaped)).joined(separator: " "))
    let output = answer.output.joined(separator: "\n")
    guard answer.result == "0" else {
      throw BrokerRefusal(command: "ctl \(arguments.joined(separator: " "))", reason: output)
    }
    return output
  }

  /// How many messages are where, in milliseconds, where `rabbitmqctl list_queues` takes more than a second of a
  /// processor.
  /// - Parameter address: of a virtual host of this broker.
  /// - Returns: by the queue's name.
  /// - Throws: `BrokerRefusal` when the broker does not answer.
  package func queues(of address: String) async throws -> [String: QueueDepth] {
    let host = URL(string: address)?.lastPathComponent ?? ""
    return try await command("queues \(host.isEmpty ? "/" : host)").output.reduce(into: [:]) { depths, line in
      guard let depth = QueueDepth(line) else { return }
      depths[depth.name] = depth
    }
  }

  /// Ends it and waits until nothing is left of it.
  package func close() async throws { try await process.close(within: .seconds(120)) }

  // MARK: The dialogue

  /// Commands of several tests at the same time take turns: an answer belongs to the command before it.
  @discardableResult
  private func command(_ line: String) async throws -> BrokerAnswer {
    let previous = lastTurn
    let turn = Task {
      await previous?.value
      return try await exchange(line)
    }
    lastTurn = Task { _ = await turn.result }
    return try await turn.value
  }

  private func exchange(_ line: String) async throws -> BrokerAnswer {
    try process.write(line + "\n")
    var output: [String] = []
    do {
      while true {
        switch BrokerAnswer.Part(try await nextLine(after: line)) {
        case .output(let text): output.append(text)
        case .end(let result): return BrokerAnswer(output: output, result: result)
        case .refused(let reason): throw BrokerRefusal(command: line, reason: reason)
        }
      }
    } catch let late as TimeLimitExceeded {
      process.closeInput()  // A late answer would be taken for the next command's.
      throw late
    }
  }

  private func nextLine(after command: String) async throws -> String {
    let line = try await process.record.line(
      since: readLines, named: "the answer to \(command)", within: Self.answerLimit
    ) { $0.stream == .standardOutput }
    readLines = line.number + 1
    return line.text
  }

  private static func escaped(_ argument: String) -> String {
    argument.reduce(into: "") { text, character in
      if character == " " || character == "\\" { text.append("\\") }
      text.append(character)
    }
  }
}
