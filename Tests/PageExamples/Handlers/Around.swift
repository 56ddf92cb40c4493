import Logging
import Teller

/// A service that collects errors.
protocol ErrorService: Sendable {
  func capture(_ error: any Error, tags: [String: String]) async
}

func watchFailures(of worker: Worker, with service: any ErrorService) {
  worker.onFailure { failed in
    guard failed.again == nil else { return }
    await service.capture(failed.error, tags: ["job": "\(failed.job.id)", "kind": "\(failed.job.kind)"])
  }
}

struct SlowRuns: JobMiddleware {
  let logger: Logger

  func run(_ job: JobInfo, next: @Sendable () async throws -> JobOutput) async throws -> JobOutput {
    let start = ContinuousClock.now
    let output = try await next()
    let time = start.duration(to: .now)
    if time > .seconds(10) { logger.notice("took \(time)", metadata: job.metadata) }
    return output
  }
}

func use(_ logger: Logger, in worker: Worker) {
  worker.use(SlowRuns(logger: logger))
}

func bootstrapLogging() {
  BufferedLog.bootstrap(metadataProvider: .tellerJob)
}
