import AMQP
import Foundation
public import JobModel
import JobTransport
public import Logging
import Synchronization
import UnixSignals

/// Serves departments: takes their jobs from the broker and runs them in its handlers.
///
///     let worker = Worker(configuration, departments: ["deposit": 2])
///     worker.register(Deposit())
///     try await worker.run()
///
/// A department's tellers are how many of its jobs this worker runs at once. More workers, in more processes or on more
/// machines, add their tellers. A worker consumes nothing before the coordinator has welcomed it. A worker goes on
/// while the coordinator or the broker is away.
///
/// Handlers run on threads of their own: a handler that blocks its thread can only delay other handlers. The loss of the
/// connection does not interrupt a handler: its report is sent once the connection is back. A handler's task is cancelled
/// when its time limit has passed, or its job is cancelled; see ``JobHandler/run(context:)``.
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
  ///   - configuration: Where the broker is; nothing else of it is read.
  ///   - departments: How many tellers serve each department, until an operator resizes it; together at most
  ///     ``WorkerError/mostTellers``.
  ///   - timeouts: After how long a job is adopted, and a cancelled handler is stuck.
  ///   - logger: The worker's logger; handlers find it in their context.
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
  /// kinds. A job of another kind that comes all the same goes back, and no attempt is counted.
  public func register(_ handler: some JobHandler) {
    registry.add(RegisteredHandler(handler))
  }

  /// Begins a drain: ``run(trapsSignals:)`` takes no further job, gives back the jobs that have not started, finishes the
  /// running ones, and returns. May be called at any time, and does not wait for the end.
  ///
  /// About a job that may have been run before, the worker has asked the coordinator whether to run it. Such a job is not
  /// given back: the worker waits for the answer. So a coordinator that is away holds the drain, and so does a handler
  /// that does not end.
  public func drain() async {
    await loop.drain()
  }

  /// Serves the departments, and returns after a drain.
  ///
  /// The first SIGTERM or SIGINT drains the worker, like ``drain()``; a second one closes it at once. So does a cancelled
  /// task. A worker that is closed at once cancels its handlers and does not wait for them; their jobs run again if they
  /// have attempts left.
  ///
  /// - Parameter trapsSignals: false leaves SIGTERM and SIGINT to the program.
  /// - Throws: ``WorkerError``; ``ConfigurationError/notEncrypted(host:)``; `CancellationError`.
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
    // Each number is in range by now, so the sum cannot overflow.
    let tellers = departments.values.reduce(0, +)
    if tellers > WorkerError.mostTellers { throw WorkerError.tooManyTellers(tellers) }
    if registry.kinds.isEmpty { throw WorkerError.noHandlers }
    if registry.kinds.count > WorkerError.mostHandlers { throw WorkerError.tooManyHandlers(registry.kinds.count) }
    if !registry.duplicates.isEmpty { throw WorkerError.registeredTwice(registry.duplicates) }
    if hasRun.exchange(true, ordering: .relaxed) { throw WorkerError.alreadyRun }
  }

  /// Runs the worker's parts. The first part to end ends the others.
  private func outcomeOfRunning(trapsSignals: Bool) async -> Result<WorkerEnd, any Error> {
    // Before the first job: an early signal drains, too.
    let signals = trapsSignals ? await UnixSignalsSequence(trapping: .sigterm, .sigint) : nil
    return await withTaskGroup(of: Result<WorkerEnd, any Error>?.self) { group in
      group.addTask { await self.serve() }
      group.addTask { await self.end() }
      group.addTask {
        await self.loop.collectRuns()
        return nil
      }
      if let signals { group.addTask { await self.obey(signals) } }
      var outcome = Result<WorkerEnd, any Error>.failure(CancellationError())
      for await first in group {
        guard let first else { continue }
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
          try await self.loop.serve(connections.consuming, connections.publishing) { self.session.becameReady() }
        }
        return nil
      } catch AMQPError.channelClosed(code: Worker.notFound, let text) {
        // The coordinator declares the exchanges and queues. A worker that is started before the first one waits.
        await loop.logMissingTopology(text)
        try? await Task.sleep(for: WorkerLoop.presenceInterval)
      } catch {
        return .failure(error)
      }
    }
    return nil
  }

  /// How long a close waits for a message to a broker that takes none.
  private static let closingLimit: Duration = .seconds(1)
  /// AMQP's code for an exchange or queue that does not exist.
  private static let notFound: UInt16 = 404

  /// Waits for the loop's own end. A drained worker sends a goodbye.
  private func end() async -> Result<WorkerEnd, any Error>? {
    for await _ in loop.ended.raised { break }
    guard let end = await loop.end else { return nil }
    // Also when an error made it drain: the coordinator is not to wait for it.
    if await loop.isDraining { await loop.publishGoodbye() }
    return .success(end)
  }

  private func obey(_ signals: UnixSignalsSequence) async -> Result<WorkerEnd, any Error>? {
    var isFirst = true
    for await _ in signals {
      // Counted here: the first signal does not close a worker that drains already because its program called `drain()`.
      guard isFirst else { return .success(.secondSignal) }
      isFirst = false
      await loop.drain()
    }
    return nil
  }

  /// How many characters of the machine's name are kept.
  private static let hostNameLimit = 200

  /// The machine and the process, for people.
  private static let processName: String = {
    let process = ProcessInfo.processInfo
    return "\(process.hostName.prefix(Worker.hostNameLimit))/\(process.processIdentifier)"
  }()
}
