import AMQP
import AsyncAlgorithms
import Foundation
public import JobModel
import JobTransport
public import Logging
import Synchronization
import UnixSignals

/// A process that serves departments: it takes their jobs from the broker and runs them in its handlers.
///
///     let worker = Worker(configuration, departments: ["deposit": 2])
///     worker.register(Deposit())
///     try await worker.run()
///
/// A department's tellers are how many of its jobs this worker runs at once; more workers, in more processes or on more
/// machines, add theirs. A worker consumes nothing before the coordinator has welcomed it, and goes on while the
/// coordinator is away. It outlives the broker's restarts.
///
/// Handlers run on threads of their own, so that one which blocks its thread delays other handlers at most. They are
/// not interrupted when the connection is lost: their reports are sent when it is back. Their tasks are cancelled when
/// their time limit has passed, or their job is cancelled; see ``JobHandler/run(context:)``.
///
/// Operators may change a running worker's tellers (`teller resize`) and pause its departments (`teller pause`).
public final class Worker: Sendable {
  private let configuration: TellerConfiguration
  private let departments: [Department: Int]
  private let registry = HandlerRegistry()
  let loop: WorkerLoop
  let session: BrokerSession
  private let logger: Logger
  private let hasRun = Atomic(false)

  /// A worker that does nothing before ``run(trapsSignals:)``.
  ///
  /// - Parameters:
  ///   - configuration: where the broker is; nothing else of it is read.
  ///   - departments: how many tellers serve each department, until somebody resizes it while the worker runs; together
  ///     not more than ``WorkerError/mostTellers``.
  ///   - timeouts: when it gives long jobs' messages back, and takes handlers for stuck.
  ///   - logger: where the worker tells of itself, and what handlers find in their context.
  public init(
    _ configuration: TellerConfiguration, departments: [Department: Int], timeouts: WorkerTimeouts = WorkerTimeouts(),
    logger: Logger = Logger(label: "teller.worker")
  ) {
    self.configuration = configuration
    self.departments = departments
    self.logger = logger
    loop = WorkerLoop(
      tellers: departments, registry: registry, timeouts: timeouts, name: Worker.processName, logger: logger)
    var options = BrokerSessionOptions()
    options.cancellationLimit = Worker.closingLimit
    session = BrokerSession(
      url: configuration.brokerURL, name: "teller worker \(Worker.processName)", logger: logger, options: options)
  }

  /// Adds the handler of one kind of job; before ``run(trapsSignals:)``. The coordinator gives a worker only jobs of its
  /// kinds; one of another kind that comes all the same goes back, and no attempt is counted.
  public func register(_ handler: some JobHandler) {
    registry.add(RegisteredHandler(handler))
  }

  /// Has ``run(trapsSignals:)`` take nothing new, give back what it has not started, finish what runs, and return. May
  /// be called at any time, and does not wait for the end.
  ///
  /// A job that may have been run before is not given back once the worker has asked the coordinator whether to run it:
  /// it waits for the answer, and runs the job if it may. While the coordinator is away, such a job holds the drain; so
  /// does a handler that does not end.
  public func drain() async {
    await loop.drain()
  }

  /// Serves the departments until it is told to stop.
  ///
  /// A first SIGTERM or SIGINT drains the worker, like ``drain()``; a second one closes it at once. Cancelling the task
  /// closes it at once too: its handlers are cancelled, not waited for, and their jobs run again if they have attempts
  /// left.
  ///
  /// - Parameter trapsSignals: false leaves SIGTERM and SIGINT to the program.
  /// - Throws: `WorkerError`; ``ConfigurationError/notEncrypted(host:)``; `CancellationError` when its task was cancelled. Returns after a drain.
  public func run(trapsSignals: Bool = true) async throws {
    try check()
    let outcome = await outcomeOfRunning(trapsSignals: trapsSignals)
    let unfinished = await loop.close()
    switch outcome {
    case .success(.drained): return
    case .success(.failed(let error)): throw error
    case .success(.secondSignal): throw WorkerError.stoppedAtOnce(unfinished: unfinished)
    case .failure(let error):
      try Task.checkCancellation()
      throw WorkerError.broker(String(describing: error))
    }
  }

  private func check() throws {
    try configuration.checkEncryption()
    if departments.isEmpty { throw WorkerError.noDepartments }
    for (department, tellers) in departments where !(1...WorkerError.mostTellers).contains(tellers) {
      throw WorkerError.tellersOutOfRange(department, tellers)
    }
    // Each is in range by now, and there are not so many departments that their sum could overflow.
    let tellers = departments.values.reduce(0, +)
    if tellers > WorkerError.mostTellers { throw WorkerError.tooManyTellers(tellers) }
    if registry.kinds.isEmpty { throw WorkerError.noHandlers }
    if registry.kinds.count > WorkerError.mostHandlers { throw WorkerError.tooManyHandlers(registry.kinds.count) }
    if !registry.duplicates.isEmpty { throw WorkerError.registeredTwice(registry.duplicates) }
    if hasRun.exchange(true, ordering: .relaxed) { throw WorkerError.alreadyRun }
  }

  private enum End: Sendable {
    case drained
    case failed(WorkerError)
    case secondSignal
  }

  /// The first of its parts to end, ends the others.
  private func outcomeOfRunning(trapsSignals: Bool) async -> Result<End, any Error> {
    // Before anything is served: a signal that comes early drains, too.
    let signals = trapsSignals ? await UnixSignalsSequence(trapping: .sigterm, .sigint) : nil
    return await withTaskGroup(of: Result<End, any Error>?.self) { group in
      group.addTask { await self.serve() }
      group.addTask { await self.end() }
      group.addTask {
        await self.loop.collectRuns()
        return nil
      }
      if let signals { group.addTask { await self.obey(signals) } }
      var outcome = Result<End, any Error>.failure(CancellationError())
      for await first in group {
        guard let first else { continue }
        outcome = first
        break
      }
      group.cancelAll()
      return outcome
    }
  }

  private func serve() async -> Result<End, any Error>? {
    while !Task.isCancelled {
      do {
        try await session.run { connections in
          try await self.loop.serve(connections.consuming, connections.publishing) { self.session.becameReady() }
        }
        return nil
      } catch AMQPError.channelClosed(code: Worker.notFound, let text) {
        // The coordinator declares what lasts. A worker may well be started before the first one, so it waits.
        await loop.sayThatNothingIsDeclared(text)
        for await _ in AsyncTimerSequence(interval: WorkerLoop.presenceInterval, clock: .continuous) { break }
      } catch {
        return .failure(error)
      }
    }
    return nil
  }

  /// How long a close waits for what is being said to a broker that does not listen.
  private static let closingLimit: Duration = .seconds(1)
  /// AMQP's code for an exchange or queue that does not exist.
  private static let notFound: UInt16 = 404

  /// The loop's own end; a drained one says goodbye.
  private func end() async -> Result<End, any Error>? {
    for await _ in loop.ended.raised { break }
    guard let end = await loop.end else { return nil }
    // Whatever made it drain: nothing of it is to be waited for.
    if await loop.isDraining { await loop.sayGoodbye() }
    switch end {
    case .failed(let error): return .success(.failed(error))
    case .drained: return .success(.drained)
    }
  }

  private func obey(_ signals: UnixSignalsSequence) async -> Result<End, any Error>? {
    var isFirst = true
    for await _ in signals {
      // Counted here: a worker that drains already, because its program told it to, is not closed by the first one.
      guard isFirst else { return .success(.secondSignal) }
      isFirst = false
      await loop.drain()
    }
    return nil
  }

  /// How much of the machine's name is told.
  private static let hostNameLimit = 200

  /// For people: the machine and the process.
  private static let processName: String = {
    let process = ProcessInfo.processInfo
    return "\(process.hostName.prefix(Worker.hostNameLimit))/\(process.processIdentifier)"
  }()
}
