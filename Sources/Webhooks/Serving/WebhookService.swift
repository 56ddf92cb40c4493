package import Decisions
package import JobModel
package import Logging
import Synchronization
package import Teller

/// Serves the departments of webhooks, until it is drained.
package final class WebhookService: Sendable {
  /// Reads the webhooks anew; nil: they cannot be used, and the log says why.
  package typealias Loading = @Sendable () async -> [Webhook]?

  private struct State {
    var worker: Worker?
    /// For the next worker; nil: none is to follow.
    var next: [Webhook]?
    var isDraining = false
  }

  /// How long the departments of webhooks may be unknown: the coordinator may be about to read the file that has them, or
  /// has read one that has them no more.
  static let patience: Duration = .seconds(30)
  private static let pause: Duration = .seconds(1)

  private let configuration: TellerConfiguration
  private let webhooks: [Webhook]
  private let resolver: Resolver
  private let logger: Logger
  private let load: Loading
  /// Of the start: what this process opens for its webhooks it has again when they are read anew.
  private let share = DescriptorShare()
  private let state = Mutex(State())
  private let reloads: AsyncStream<Void>
  private let reloading: AsyncStream<Void>.Continuation

  /// A service that does nothing before ``run()``. `load` is called for each ``reload()``.
  package convenience init(
    _ configuration: TellerConfiguration, webhooks: [Webhook], logger: Logger, load: @escaping Loading
  ) {
    self.init(configuration, webhooks: webhooks, resolver: .system, logger: logger, load: load)
  }

  init(
    _ configuration: TellerConfiguration, webhooks: [Webhook], resolver: Resolver, logger: Logger,
    load: @escaping Loading = { nil }
  ) {
    (self.configuration, self.webhooks, self.resolver, self.logger) = (configuration, webhooks, resolver, logger)
    self.load = load
    // Several in a short time are one.
    (reloads, reloading) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Delivers until it is drained. Lost connections are waited out.
  ///
  /// - Throws: What a worker throws; ``TooFewDescriptors``.
  package func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask { for await _ in self.reloads { await self.takeReload() } }
      try await serve()
    }
  }

  /// Ends ``run()`` when the deliveries under way have ended.
  package func drain() {
    let worker = state.withLock { state in
      state.isDraining = true
      return state.worker
    }
    if let worker { Task { await worker.drain() } }
  }

  /// Has the webhooks read anew. Does not wait for that.
  package func reload() { reloading.yield() }

  /// Whether deliveries can be made; see `Worker.health()`.
  package func health() async -> HealthReport {
    guard let worker = state.withLock(\.worker) else {
      return HealthReport([HealthReport.Check("webhooks", isOK: false, detail: "not serving")])
    }
    return await worker.health()
  }

  /// One worker after the other: what a webhook is cannot change while a worker runs.
  private func serve() async throws {
    var webhooks: [Webhook]? = webhooks
    var unknownSince: ContinuousClock.Instant?
    while let present = webhooks, !present.isEmpty {
      let handler = WebhookHandler(present, resolver: resolver)
      let worker = Worker(configuration, departments: try tellers(handler.tellers), logger: logger)
      worker.register(WebhookSettings.kind, policies: handler.policies, run: handler.run)
      guard begin(worker) else { return await handler.close() }
      for webhook in present { logger.info("webhook \"\(webhook.name)\" delivers to \(webhook.address)") }
      let (began, error) = (ContinuousClock.now, await WebhookService.failure(of: worker))
      await handler.close()
      guard let error else {
        (webhooks, unknownSince) = (takeNext(), nil)
        continue
      }
      if began.duration(to: .now) > WebhookService.patience { unknownSince = nil }
      unknownSince = unknownSince ?? .now
      webhooks = try await next(after: error, present, since: unknownSince ?? .now)
    }
  }

  private func tellers(_ wanted: [Department: Int]) throws -> [Department: Int] {
    let tellers = try share.tellers(wanted)
    for (department, count) in wanted {
      guard let fewer = tellers[department], fewer < count else { continue }
      logger.warning(
        """
        \(department) has \(fewer) deliveries at once, not \(count): there are too few file descriptors; raise the limit \
        (LimitNOFILE=, ulimit -n)
        """)
    }
    return tellers
  }

  private static func failure(of worker: Worker) async -> (any Error)? {
    do {
      try await worker.run()
      return nil
    } catch {
      return error
    }
  }

  /// The webhooks to go on with when the coordinator does not know the department of one of them: those that the file has
  /// now, after a moment.
  ///
  /// - Throws: The error, when it is another one, or has gone on for too long.
  private func next(
    after error: any Error, _ present: [Webhook], since begin: ContinuousClock.Instant
  ) async throws -> [Webhook]? {
    guard case WorkerError.unknownDepartments(let names) = error, begin.duration(to: .now) < WebhookService.patience
    else {
      throw error
    }
    if state.withLock(\.isDraining) { return nil }
    let departments = names.joined(separator: ", ")
    logger.warning("the coordinator has no department \(departments): reading the webhooks anew, and trying again")
    try await Task.sleep(for: WebhookService.pause)
    let loaded = await loadFitting()
    return takeNext() ?? (state.withLock(\.isDraining) ? nil : loaded ?? present)
  }

  private func begin(_ worker: Worker) -> Bool {
    state.withLock { state in
      if state.isDraining { return false }
      state.worker = worker
      return true
    }
  }

  private func takeNext() -> [Webhook]? {
    state.withLock { state in
      defer { state.next = nil }
      return state.isDraining ? nil : state.next
    }
  }

  /// The webhooks of the file; nil: they cannot be used, also because there are too many for this process.
  private func loadFitting() async -> [Webhook]? {
    guard let webhooks = await load() else { return nil }
    do throws(TooFewDescriptors) {
      _ = try share.tellers(WebhookHandler(webhooks, resolver: resolver).tellers)
    } catch {
      logger.error("nothing is changed: \(error)")
      return nil
    }
    return webhooks
  }

  private func takeReload() async {
    guard let webhooks = await loadFitting() else { return }
    let worker = state.withLock { state in
      state.next = webhooks
      return state.worker
    }
    logger.notice("reloaded; deliveries under way end first")
    await worker?.drain()
  }
}
