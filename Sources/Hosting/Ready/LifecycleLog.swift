public import JobModel
public import Logging

/// A service that logs each call: to see what a host does, and as the shortest example of a service.
///
///     worker.add(LifecycleLog(logger, level: .debug))
public struct LifecycleLog: HostedService {
  private let logger: Logger
  private let level: Logger.Level

  /// A service that logs.
  ///
  /// - Parameters:
  ///   - logger: Where it logs.
  ///   - level: The level of each line. A busy worker has two lines for each attempt.
  public init(_ logger: Logger = Logger(label: "teller.services"), level: Logger.Level = .info) {
    (self.logger, self.level) = (logger, level)
  }

  /// Logs the call.
  public func started() async throws { log("started") }
  /// Logs the call.
  public func opened() async throws { log("opened") }
  /// Logs the call.
  public func paused() async throws { log("paused") }
  /// Logs the call.
  public func resumed() async throws { log("resumed") }
  /// Logs the call.
  public func draining() async throws { log("draining") }
  /// Logs the call.
  public func stopped() async throws { log("stopped") }

  /// Logs the call, with the event's id, name and state.
  public func received(_ event: EventStatus) async throws {
    log("received \(event.name)", ["event": "\(event.id)", "state": "\(event.state.rawValue)"])
  }

  /// Logs the call, with the job's id, kind and attempt.
  public func jobStarted(_ job: HostedJob) async throws { log("job started", metadata(of: job)) }

  /// Logs the call, with the job's id, kind, attempt and result.
  public func jobEnded(_ end: HostedJobEnd) async throws {
    var metadata = metadata(of: end.job)
    metadata["result"] = "\(end.result.rawValue)"
    metadata["failure"] = end.failure.map { "\($0)" }
    metadata["ran"] = end.ran.map { "\($0)" }
    log("job ended", metadata)
  }

  private func metadata(of job: HostedJob) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["job": "\(job.id)", "kind": "\(job.kind)"]
    metadata["attempt"] = job.attempt.map { "\($0)" }
    return metadata
  }

  private func log(_ text: String, _ metadata: Logger.Metadata? = nil) {
    logger.log(level: level, "\(text)", metadata: metadata)
  }
}
