import Decisions
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import JobModel
public import Logging
import NIOCore
public import ServiceLifecycle
import Synchronization
public import Teller
public import TellerHealth

/// Serves the page: what jobs wait and run, why, and how long it will take, live in a browser; and what operators do.
///
///     let page = try PageServer(client, PageSettings())
///     let group = ServiceGroup(services: [client, page], gracefulShutdownSignals: [.sigterm], logger: logger)
///     try await group.run()
///
/// The page is a client of the coordinator, and has no rights of its own: what the client's user may not do at the broker,
/// nobody can do on the page. Where the coordinator or the broker is away, the page says so.
///
/// With ``PageSettings/tokens`` people sign in. The file has a line `NAME ROLE SHA256` for each token: who has it, `viewer` or
/// `operator`, and the SHA-256 of the token in hexadecimal digits. Behind `#` stands a remark.
public struct PageServer: Service, Sendable {
  private let settings: PageSettings
  private let client: TellerClient
  private let source: any HubSource
  private let screens: [PageScreen]
  private let doorkeeper: Doorkeeper
  private let encryption: TLSConfiguration?
  private let logger: Logger
  private let served = Served()

  /// Everybody, where nobody signs in.
  static let local = PagePerson(name: "local", role: .operator)

  /// A page that is a user of the client.
  ///
  /// - Parameters:
  ///   - client: Asks the coordinator. Whoever makes the server runs the client, too.
  ///   - settings: Where and to whom the page is served.
  ///   - screens: Screens of the program's own.
  ///   - logger: Logs where the page is served, who signs in, and what is done.
  /// - Throws: `ConfigurationError` when the settings let in somebody who must not get in, or a file cannot be read.
  public init(
    _ client: TellerClient, _ settings: PageSettings = PageSettings(), screens: [PageScreen] = [],
    logger: Logger = Logger(label: "teller.page")
  ) throws(ConfigurationError) {
    try self.init(client, settings, screens: screens, source: ClientSource(client: client), logger: logger)
  }

  init(
    _ client: TellerClient, _ settings: PageSettings, screens: [PageScreen] = [], source: any HubSource, logger: Logger
  ) throws(ConfigurationError) {
    try settings.check()
    (self.client, self.settings, self.screens) = (client, settings, screens)
    (self.source, self.logger) = (source, logger)
    let tokens = try settings.tokens.map { file throws(ConfigurationError) in try TokenFile(file, logger: logger) }
    doorkeeper = Doorkeeper(settings, tokens: tokens)
    encryption = try settings.tls.map { files throws(ConfigurationError) in try PageEncryption.read(files) }
  }

  /// Reads the file of tokens again, as the command does at SIGHUP. Whoever has signed in with a token that is gone is signed
  /// out. Without this call the file is read again when somebody signs in. The log says what changes, and what cannot be used. The
  /// files of TLS are read at the start alone.
  public func reload() { doorkeeper.readTokens() }

  /// Serves until the graceful shutdown of the server's `ServiceGroup`, or until the task is cancelled.
  ///
  /// - Throws: ``PageServerError``; `CancellationError`.
  public func run() async throws { try await run { try await gracefulShutdown() } }

  /// Serves while the body runs.
  ///
  /// - Parameters:
  ///   - listening: Called with the page's address before the body begins. With port 0 in the given address it has the port
  ///     that was chosen.
  ///   - body: Runs while the page is served; cancelled when the task is.
  /// - Throws: ``PageServerError`` when the page cannot be served, or no longer; the error of the body.
  public func run(
    listening: @escaping @Sendable (HealthAddress) -> Void = { _ in },
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let hub = Hub(
      source, version: CoordinatorConfiguration.version, logger: logger, firstBoard: settings.limits.firstBoard)
    let start = OneShot<HealthAddress>()
    do {
      try await withThrowingTaskGroup(of: Part.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await serve(hub, start) }
        group.addTask { await endStreams(of: hub) }
        group.addTask {
          let address = try await start.value
          served.begin()
          logger.info("page at \(settings.isEncrypted ? "https" : "http")://\(address)\(settings.prefix)/")
          listening(address)
          try await body()
          return .body
        }
        while let ended = try await group.next(), ended != .body {}
      }
    } catch {
      await hub.end()
      throw error
    }
    await hub.end()
  }

  /// Whether the page is ready: when it is served. Where the broker is away, the page is there to say so. A broker that
  /// refuses the page's user is another thing: then the page is not ready.
  public func health() -> HealthReport {
    let isServed = served.hasBegun
    return HealthReport([
      .init("page", isOK: isServed, detail: isServed ? "served" : "not served yet"), client.standing.check,
    ])
  }

  /// Whether the page is served.
  private final class Served: Sendable {
    private let isServed = Atomic(false)

    var hasBegun: Bool { isServed.load(ordering: .relaxed) }
    func begin() { isServed.store(true, ordering: .relaxed) }
  }

  /// The part of a run that has ended.
  private enum Part { case server, streams, body }

  /// A shutdown waits for the answers that are under way: those that have no end of their own are ended.
  private func endStreams(of hub: Hub) async -> Part {
    if (try? await gracefulShutdown()) != nil { await hub.end() }
    return .streams
  }

  private func serve(_ hub: Hub, _ start: OneShot<HealthAddress>) async throws -> Part {
    if let problem = ServerResources.problem { throw PageServerError.noResources(reason: problem) }
    let hasStarted = Atomic(false)
    let application = try application(hub) { port in
      hasStarted.store(true, ordering: .releasing)
      start.fulfil(.success(HealthAddress(host: settings.address.host, port: port ?? settings.address.port)))
    }
    var reason = "the server has ended"
    do {
      try await application.run()
    } catch {
      reason = PageServer.reason(of: error)
    }
    try Task.checkCancellation()
    guard hasStarted.load(ordering: .acquiring) else {
      throw PageServerError.cannotListen(settings.address, reason: reason)
    }
    guard Task.isShuttingDownGracefully else { throw PageServerError.ended(reason: reason) }
    return .server
  }

  private static func reason(of error: any Error) -> String {
    (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
  }

  private func application(
    _ hub: Hub, listening: @escaping @Sendable (Int?) -> Void
  ) throws -> some ApplicationProtocol {
    let (limits, connections) = (settings.limits, PageConnections(settings.limits.connections))
    var configuration = HTTP1Channel.Configuration(
      additionalChannelHandlers: [ConnectionWatch(limits, connections)], idleTimeout: limits.idle)
    configuration.httpDecoder = .init(
      maxHeaderFieldSize: limits.head, maxHeaderListSize: limits.head, maxHeaderFieldCount: limits.headFields)
    // The server would log the end of every connection, and its own cancellation.
    var quiet = logger
    quiet.logLevel = .critical
    let plain = HTTPServerBuilder.http1(configuration: configuration)
    return Application(
      responder: responder(hub),
      server: try encryption.map { try .tls(plain, tlsConfiguration: $0) } ?? plain,
      configuration: ApplicationConfiguration(
        address: .hostname(settings.address.host, port: settings.address.port), serverName: "teller",
        availableConnectionsDelegate: .maximum(2 * limits.connections, logger: quiet)),
      onServerRunning: { [logger] server in
        await DescriptorGate.put(before: server, logger)
        listening(server.localAddress?.port)
      }, logger: quiet)
  }

  private func responder(_ hub: Hub) -> PageResponder {
    let byPath = Dictionary(screens.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
    return PageResponder(
      settings: settings, assets: AssetTable(prefix: settings.prefix, screens: screens), hosts: AllowedHosts(settings),
      proxy: ProxyRule(proxy: settings.proxy.flatMap { IPNetwork($0) }, isEncrypted: encryption != nil),
      doorkeeper: doorkeeper, questions: Questions(client: client, settings: settings),
      changes: Changes(
        settings: settings, client: client, doorkeeper: doorkeeper, forms: Forms(settings.limits), screens: byPath,
        hub: hub, logger: logger),
      hub: hub, screens: byPath, version: CoordinatorConfiguration.version, logger: logger)
  }
}

extension PageSettings {
  /// Whether the page itself encrypts.
  var isEncrypted: Bool { tls != nil }
}

extension ClientStanding {
  fileprivate var check: HealthReport.Check {
    switch self {
    case .connected: .init("broker", isOK: true, detail: "connected")
    case .blocked(let reason): .init("broker", isOK: true, detail: "it takes nothing now: \(reason)")
    case .lost(let reason): .init("broker", isOK: true, detail: "away: \(reason)")
    case .refused(let reason): .init("broker", isOK: false, detail: "not connected: \(reason)")
    }
  }
}
