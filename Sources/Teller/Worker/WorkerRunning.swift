import AMQP
import AsyncAlgorithms
import Foundation
import JobModel
import JobTransport
import Logging
import Processes
public import ServiceLifecycle
import UnixSignals

extension Worker: Service {
  /// Begins a drain: ``run()`` takes no further job, gives back the jobs that have not started, finishes the
  /// running ones, and returns. May be called at any time, and does not wait for the end.
  ///
  /// About a job that may have been run before, the worker has asked the coordinator whether to run it. Such a job is not
  /// given back: the worker waits for the answer. So a coordinator that is away holds the drain, and so does a handler
  /// that does not end.
  public func drain() async {
    await loop.drain()
  }

  /// Serves the departments, and returns after a drain: as a service among others, or where the program itself handles
  /// signals.
  ///
  /// The graceful shutdown of its `ServiceGroup` drains the worker, like ``drain()``. A cancelled task closes it at once.
  /// A worker that is closed at once cancels its handlers and does not wait for them; their jobs run again if they have
  /// attempts left. The worker starts, and goes on, while the broker or the coordinator is away.
  ///
  /// An operator may have the worker drain (`teller drain`): then this returns, and the other services run on. A
  /// `ServiceGroup` by itself takes a service that returns for a failure, and cancels the other services. So tell the
  /// group what the end of the worker means:
  ///
  ///     // A process whose work is the worker: the other services are shut down gracefully, and the process ends.
  ///     .init(service: worker, successTerminationBehavior: .gracefullyShutdownGroup)
  ///     // A server that goes on without its worker.
  ///     .init(service: worker, successTerminationBehavior: .ignore)
  ///
  /// - Throws: ``WorkerError``; ``ConfigurationError/notEncrypted(host:)``; `CancellationError`.
  public func run() async throws {
    try await run(obeying: nil)
  }

  /// Serves the departments until the process is told to end: for a program that is nothing but a worker.
  ///
  /// The first SIGTERM, SIGINT or SIGHUP drains the worker, like ``drain()``; a second one closes it at once. Under `nohup`
  /// SIGHUP says nothing. After a drain by an operator (`teller drain`) this returns as after one SIGTERM. All else is as with ``run()``.
  ///
  /// - Throws: ``WorkerError``; ``ConfigurationError/notEncrypted(host:)``; `CancellationError`.
  public func runService() async throws {
    // Before the first job: an early signal drains, too.
    let hangup: [UnixSignal] = ignores(SIGHUP) ? [] : [.sighup]
    try await run(obeying: await UnixSignalsSequence(trapping: [.sigterm, .sigint] + hangup))
  }

  private func run(obeying signals: UnixSignalsSequence?) async throws {
    await loop.begin(with: try begin(), services.ifAny)
    await services.start()
    let outcome = await firstEnd(obeying: signals)
    let unfinished = await loop.close()
    await services.stop(atOnce: !outcome.isDrained)
    switch outcome {
    case .success(.drained): return
    case .success(.failed(let error)): throw error
    case .success(.secondSignal): throw WorkerError.stoppedAtOnce(unfinished: unfinished)
    case .failure(let error):
      try Task.checkCancellation()
      throw WorkerError(ending: error)
    }
  }

  /// Runs the worker's parts. The first part to end ends the others.
  private func firstEnd(obeying signals: UnixSignalsSequence?) async -> Result<WorkerEnd, any Error> {
    await withTaskGroup(of: Result<WorkerEnd, any Error>?.self) { group in
      group.addTask { await self.serve() }
      group.addTask { await self.end() }
      group.addTask {
        await self.loop.collectRuns()
        return nil
      }
      group.addTask {
        await self.loop.showMetrics(self.session.state)
        for await _ in AsyncTimerSequence(interval: WorkerLoop.presenceInterval, clock: .continuous) {
          await self.loop.showMetrics(self.session.state)
        }
        return nil
      }
      group.addTask {
        if (try? await gracefulShutdown()) != nil { await self.drain() }
        return nil
      }
      if let signals { group.addTask { await self.obey(signals) } }
      var outcome = Result<WorkerEnd, any Error>.failure(CancellationError())
      for await case let first? in group {
        outcome = first
        break
      }
      group.cancelAll()
      return outcome
    }
  }

  private func serve() async -> Result<WorkerEnd, any Error>? {
    while !Task.isCancelled {
      do {
        try await session.run { connections in
          try await self.loop.serveSession(connections) { self.session.becameReady() }
        }
        return nil
      } catch AMQPError.channelClosed(code: Worker.notFound, let text) {
        // The coordinator declares the exchanges and queues. A worker that is started before the first one waits.
        await loop.take(.topologyIsMissing(text))
        try? await Task.sleep(for: WorkerLoop.presenceInterval)
      } catch {
        return .failure(error)
      }
    }
    return nil
  }

  /// AMQP's code for an exchange or queue that does not exist.
  private static let notFound: UInt16 = 404

  /// Waits for the loop's own end. A drained worker sends a goodbye.
  private func end() async -> Result<WorkerEnd, any Error>? {
    for await _ in loop.ended.raised { break }
    guard let end = await loop.state.end else { return nil }
    // Also when an error made it drain: the coordinator is not to wait for it.
    if await loop.state.isDraining { await loop.publishGoodbye() }
    return .success(end)
  }

  private func obey(_ signals: UnixSignalsSequence) async -> Result<WorkerEnd, any Error>? {
    var isFirst = true
    for await _ in signals {
      // Counted here: the first signal does not close a worker that drains already because its program called `drain()`.
      guard isFirst else { return .success(.secondSignal) }
      isFirst = false
      loop.logger.notice("told to end by a signal; a second one stops at once")
      await loop.drain()
    }
    return nil
  }
}

extension Result<WorkerEnd, any Error> {
  /// Whether the worker has drained. After any other end nobody is to wait for services that are slow.
  fileprivate var isDrained: Bool {
    if case .success(.drained) = self { true } else { false }
  }
}

extension WorkerError {
  /// The error of a session that does not try again.
  fileprivate init(ending error: any Error) {
    let reason = (error as? AMQPError).map { TellerError(final: $0) }
    self = .broker(reason ?? .brokerRefused(reason: String(describing: error)))
  }
}
