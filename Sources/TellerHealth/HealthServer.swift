import Foundation
import Hummingbird
import HummingbirdCore
public import JobModel
public import Logging
import NIOCore
public import ServiceLifecycle
import Synchronization
public import Teller

/// Answers over HTTP whether a process lives (`GET /health`) and whether it is ready (`GET /ready`), tells its metrics
/// (`GET /metrics`) when it is given some, and nothing else.
///
///     let health = HealthServer(worker, on: address)
///     try await health.run { try await worker.runService() }
///
/// `/health` is 200 as long as the process answers. `/ready` is 200 or 503. Both have the same body, a JSON object
/// `{"ready": false, "checks": [{"name": "broker", "ok": false, "detail": "not connected"}]}`. A check that knows when it
/// was last seen to be so has `age_ms`. `/metrics` is in Prometheus's text format. Everyone who can reach the address can
/// ask, without TLS: no answer holds a secret.
public struct HealthServer: Service, Sendable {
  private let address: HealthAddress
  private let logger: Logger
  private let question: HealthQuestion
  private let metrics: PrometheusMetrics?

  /// A process that does not report its health within this time counts as not ready.
  public static let answerLimit: Duration = .seconds(2)
  var answerLimit = HealthServer.answerLimit
  var limits = ConnectionLimits()
  /// The largest header of a request, in bytes, and the most fields of it.
  static let headerLimit = 8 * 1024
  static let headerFieldLimit = 64

  /// A server for any process.
  ///
  /// - Parameters:
  ///   - address: Where the server listens.
  ///   - logger: Logs where the server listens, and why it no longer does.
  ///   - metrics: What `/metrics` tells; nil: there is no such path.
  ///   - report: Makes the report of an answer; called by one task at a time.
  public init(
    on address: HealthAddress, logger: Logger = Logger(label: "teller.health"), metrics: PrometheusMetrics? = nil,
    report: @escaping @Sendable () async -> HealthReport
  ) {
    self.address = address
    self.logger = logger
    self.metrics = metrics
    question = HealthQuestion(report)
  }

  /// A server for a worker.
  ///
  /// - Parameters:
  ///   - worker: The worker.
  ///   - address: Where the server listens.
  ///   - logger: Logs where the server listens, and why it no longer does.
  ///   - metrics: What `/metrics` tells; nil: there is no such path.
  public init(
    _ worker: Worker, on address: HealthAddress, logger: Logger = Logger(label: "teller.health"),
    metrics: PrometheusMetrics? = nil
  ) {
    self.init(on: address, logger: logger, metrics: metrics) { await worker.health() }
  }

  /// Listens while the body runs. The body goes on when the server breaks down later; that is logged.
  ///
  /// - Parameters:
  ///   - listening: Called with the server's address before the body begins. With port 0 in the given address it has the
  ///     port that was chosen.
  ///   - body: Runs while the server listens; cancelled when the task is.
  /// - Throws: ``HealthServerError`` when the server cannot listen, before the body begins; the error of the body.
  public func run(
    listening: @escaping @Sendable (HealthAddress) -> Void = { _ in },
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let (start, started) = AsyncStream.makeStream(of: HealthAddress.self, bufferingPolicy: .bufferingOldest(1))
    try await withThrowingTaskGroup(of: Part.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        try await serve(started)
        return .server
      }
      group.addTask {
        guard let address = await start.first(where: { _ in true }) else { return .server }
        logger.info("health at http://\(address)")
        listening(address)
        try await body()
        return .body
      }
      while let ended = try await group.next(), ended == .server {}
    }
  }

  /// Listens until the graceful shutdown of the server's `ServiceGroup`: as one service among others.
  ///
  /// - Throws: ``HealthServerError`` when the server cannot listen; `CancellationError`.
  public func run() async throws {
    try await run { try await gracefulShutdown() }
  }

  /// The part of a run that has ended.
  private enum Part { case server, body }

  private func serve(_ started: AsyncStream<HealthAddress>.Continuation) async throws {
    if let problem = ServerResources.problem { throw HealthServerError.noResources(reason: problem) }
    let hasStarted = Atomic(false)
    let application = application { port in
      hasStarted.store(true, ordering: .releasing)
      started.yield(HealthAddress(host: address.host, port: port ?? address.port))
      started.finish()
    }
    var problem = "it ended"
    do {
      try await application.run()
    } catch {
      problem = reason(of: error)
      guard hasStarted.load(ordering: .acquiring) else {
        throw HealthServerError.cannotListen(address, reason: problem)
      }
    }
    if !Task.isCancelled, !Task.isShuttingDownGracefully { logger.error("health is no longer told: \(problem)") }
    started.finish()
  }

  private func application(listening: @escaping @Sendable (Int?) -> Void) -> some ApplicationProtocol {
    let router = Router(options: .autoGenerateHeadEndpoints)
    router.add(middleware: NotFoundText(hasMetrics: metrics != nil))
    router.get("health") { _, _ in await answer(when: { _ in .ok }) }
    router.get("ready") { _, _ in await answer(when: { $0.isReady ? .ok : .serviceUnavailable }) }
    if let metrics { router.get("metrics") { _, _ in answer(with: metrics) } }
    let (room, lifetime) = (ConnectionRoom(limits.count), limits.lifetime)
    var configuration = HTTP1Channel.Configuration(
      additionalChannelHandlers: [ConnectionLifetime(lifetime, in: room)], idleTimeout: limits.idle)
    configuration.httpDecoder = .init(
      maxHeaderFieldSize: HealthServer.headerLimit, maxHeaderListSize: HealthServer.headerLimit,
      maxHeaderFieldCount: HealthServer.headerFieldLimit)
    // The server would log the end of every connection, and its own cancellation.
    var quiet = logger
    quiet.logLevel = .critical
    return Application(
      router: router, server: .http1(configuration: configuration),
      configuration: ApplicationConfiguration(
        address: .hostname(address.host, port: address.port), serverName: "teller",
        availableConnectionsDelegate: .maximum(limits.acceptedCount, logger: quiet)),
      onServerRunning: { [logger] server in
        await DescriptorGate.put(before: server, logger)
        listening(server.localAddress?.port)
      }, logger: quiet)
  }

  private func answer(when status: (HealthReport) -> HTTPResponse.Status) async -> Response {
    let report = await question.answer(within: answerLimit) ?? .unanswered(within: answerLimit)
    return Response(
      status: status(report), headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: HealthDocument(report).json)))
  }

  private func answer(with metrics: PrometheusMetrics) -> Response {
    Response(
      status: .ok, headers: [.contentType: PrometheusMetrics.contentType, .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text)))
  }

  private func reason(of error: any Error) -> String {
    (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
  }
}

/// Why a ``HealthServer`` does not run.
public enum HealthServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The address is taken, or is no address of this machine. Choose another.
  case cannotListen(HealthAddress, reason: String)
  /// The process has too few threads or file descriptors. Let it have more of them.
  case noResources(reason: String)

  /// One line: what happened, and what to do about it.
  public var description: String {
    switch self {
    case .noResources(let reason): "health cannot be served: \(reason)"
    case .cannotListen(let address, let reason):
      "health cannot be told at \(address): \(reason); choose an address of this machine and a port that is free"
    }
  }
}
