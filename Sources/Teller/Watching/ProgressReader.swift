import AMQP
import JobModel
import JobTransport

/// Follows how far jobs have come, on one connection after the other. The broker passes on what is said of these jobs only.
struct ProgressReader: Sendable {
  /// The most jobs of one reader: each takes a binding at the broker.
  static let mostJobs = 100

  let client: TellerClient
  let jobs: [JobID]
  /// Called with each word, in no order of different jobs.
  let told: @Sendable (JobID, RunProgress) -> Void

  /// Reads until the task is cancelled.
  ///
  /// - Throws: ``TellerError`` when waiting does not help, such as for a user who may not watch; `CancellationError`.
  func run() async throws {
    let core = client.core
    let obstacle = core.obstacle(on: core.lines.watching, waited: core.timeouts.connect)
    var backOff = BackOff.resending
    while true {
      do {
        try await read(on: try await core.lines.watching.connection(to: try await core.links.current.node)) {
          backOff.reset()
        }
      } catch let error as AMQPError {
        try obstacle.met(error)
      }
      try await Task.sleep(for: backOff.next())
    }
  }

  private func read(on connection: Connection, ready: () -> Void) async throws {
    let keys = jobs.map(Topology.RoutingKey.progress)
    let relay = try await EventReader.declareRelay(keys, on: connection)
    let live = try await connection.consume(relay.name, options: ConsumeOptions(prefetch: EventReader.livePrefetch))
    defer {
      // In a task of its own, since this one may be cancelled. The connection goes on, for other watches.
      Task {
        try? await connection.cancel(live.tag)
        try? await connection.ack(contentsOf: live.takeWaiting().map(\.deliveryTag))
      }
    }
    ready()
    // Beside what comes: a coordinator that is away answers late.
    async let present: Void = tellPresent()
    try await follow(live, on: connection)
    await present
  }

  /// Tells the last words: they may have come before anybody followed. Without an answer the next words tell more.
  private func tellPresent() async {
    for job in jobs {
      if let progress = try? await client.job(job).progress { told(job, progress) }
    }
  }

  private func follow(_ live: Consumer, on connection: Connection) async throws {
    while let batch = await live.nextBatch(atMost: Int(EventReader.livePrefetch)) {
      for case .live(let notifications) in batch.lazy.map(NotificationCodec.decode) {
        for notification in notifications {
          if let job = notification.job, let progress = RunProgress(notification) { told(job, progress) }
        }
      }
      try await connection.ack(contentsOf: batch.map(\.deliveryTag))
    }
  }
}

extension RunProgress {
  /// Nil: the notification tells of something else.
  init?(_ notification: JobModel.Notification) {
    guard let fraction = notification.progress else { return nil }
    self.init(fraction, notification.text)
    heardAt = notification.at
  }
}
