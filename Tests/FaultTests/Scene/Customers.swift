import AuditSupport
import Foundation
import JobModel
import Logging
import Synchronization
import Teller

/// Whoever submits to a system and asks about its jobs, in this process, and writes down each answer that comes, and that
/// none came.
actor Customers {
  /// What they say to each other about the broker, for the search for secrets.
  nonisolated let log = CustomerLog()
  nonisolated let history: History
  private let configuration: TellerConfiguration
  private let timeouts: ClientTimeouts
  private var present: Task<TellerClient, any Error>?
  private var number = 0

  /// Customers of that broker, who try to submit a job for that long before they give it up, without knowing whether it
  /// has arrived.
  init(brokerURL: String, history: History, patience: Duration) throws {
    configuration = try TellerConfiguration(broker: brokerURL)
    var timeouts = ClientTimeouts()
    timeouts.submit = patience
    self.timeouts = timeouts
    self.history = history
  }

  /// One that serves; another one when the broker did not want the last.
  private var client: (client: TellerClient, number: Int) {
    get async throws {
      let connecting = present ?? connect()
      present = connecting
      let number = number
      do {
        return (try await connecting.value, number)
      } catch {
        forget(number)
        throw error
      }
    }
  }

  private func connect() -> Task<TellerClient, any Error> {
    number += 1
    let (configuration, timeouts, log) = (configuration, timeouts, log)
    return Task {
      try await TellerClient.connect(
        configuration, name: "customers", timeouts: timeouts,
        logger: Logger(label: "customers", factory: { _ in log.handler }))
    }
  }

  private func forget(_ number: Int) { if number == self.number { present = nil } }

  func close() async {
    let client = try? await present?.value
    present = nil
    await client?.close()
  }

  /// The client itself, for what is no part of the history.
  func any() async throws -> TellerClient { try await client.client }

  // MARK: What they want

  /// Submits one job and follows it to its end, as far as there are answers.
  nonisolated func follow(_ submission: JobSubmission<JSONValue>, _ wanted: Wanted = Wanted()) async {
    guard let handle = await submit(submission, wanted) else { return }
    await wait(for: handle)
  }

  /// Does everything that an errand asks for.
  nonisolated func run(_ errand: Load.Errand) async {
    guard let handle = await submit(errand.submission, errand.wanted) else { return }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.wait(for: handle) }
      if errand.isCancelled { group.addTask { await self.cancel(handle.id) } }
      for (submission, wanted) in errand.followers {
        group.addTask { await self.follow(submission, wanted) }
      }
    }
  }

  /// Submits one job, and waits until it is accepted.
  ///
  /// - Returns: nil when there is no answer, or it is refused.
  private nonisolated func submit(
    _ submission: JobSubmission<JSONValue>, _ wanted: Wanted
  ) async -> JobHandle<JSONValue>? {
    guard let submitting = history.submit(submission.id, wanted),
      let handle = await attempt(submitting, { try await $0.submit(submission) }, sighting: { _ in nil }),
      let accepting = history.invoke(.accept, submission.id),
      await attempt(accepting, { _ in try await handle.accepted() }, sighting: { _ in nil }) != nil
    else { return nil }
    if let original = handle.duplicateOf { history.learn(original: original, of: submission.id) }
    return handle
  }

  private nonisolated func wait(for handle: JobHandle<JSONValue>) async {
    guard let waiting = history.invoke(.wait, handle.id) else { return }
    _ = await attempt(
      waiting, { _ in try await handle.outcome() }, sighting: { Sighting(state: $0.state, attempt: nil) })
  }

  /// Takes a job back.
  private nonisolated func cancel(_ job: JobID) async {
    guard let cancelling = history.invoke(.cancel, job) else { return }
    _ = await attempt(cancelling, { try await $0.cancel([job]) }, sighting: { _ in nil })
  }

  /// Asks how a job stands.
  nonisolated func show(_ job: JobID) async {
    guard let asking = history.invoke(.show, job) else { return }
    _ = await attempt(
      asking, { try await $0.job(job) }, sighting: { Sighting(state: $0.state, attempt: $0.attempt) })
  }

  /// Does what one operation is about, and writes down how it ended.
  private nonisolated func attempt<Value: Sendable>(
    _ operation: Int, _ body: (TellerClient) async throws -> Value, sighting: (Value) -> Sighting?
  ) async -> Value? {
    var number = 0
    do {
      let (client, current) = try await client
      number = current
      let value = try await body(client)
      history.end(operation, .ok(sighting(value)))
      return value
    } catch let rejection as JobError {
      history.end(operation, .failed("\(rejection)"))
    } catch {
      if (error as? TellerError)?.endsTheClient == true { await forget(number) }
      history.end(operation, .unknown("\(error)"))
    }
    return nil
  }
}

extension TellerError {
  /// Whether the client that said it will never serve again.
  fileprivate var endsTheClient: Bool {
    switch self {
    case .closed, .brokerRefused: true
    default: false
    }
  }
}

/// The last lines of a log. Bounded.
final class CustomerLog: Sendable {
  private static let limit = 5_000
  private let present = Mutex<[String]>([])

  /// Where a logger writes to.
  var handler: any LogHandler { CustomerLogHandler(log: self) }
  /// What was written.
  var lines: [String] { present.withLock { $0 } }

  fileprivate func add(_ line: String) {
    present.withLock { lines in if lines.count < CustomerLog.limit { lines.append(line) } }
  }
}

private struct CustomerLogHandler: LogHandler {
  let log: CustomerLog
  var logLevel = Logger.Level.debug
  var metadata: Logger.Metadata = [:]

  init(log: CustomerLog) { self.log = log }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    log.add("\(event.message) \(event.metadata ?? [:])")
  }
}
