import ArgumentParser
import Foundation
import Logging
import Synchronization
import Teller

/// What services cost a worker: its speed with short jobs, and how long its end takes.
struct ServicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "services",
    abstract: "Runs a worker with services on waiting jobs, and prints its speed and how long its end took.",
    discussion: "Plays the coordinator itself: on an empty virtual host of its own."
  )

  enum Sort: String, ExpressibleByArgument, CaseIterable {
    case normal, throwing, hanging, slow
  }

  @Argument(help: "The worker's services, in their order.")
  var services: [Sort] = []
  @Option(help: "How many jobs wait for the worker.")
  var jobs = 20_000
  @Option(help: "How many of them run at once.")
  var tellers = 32

  private struct Line: Encodable {
    var services: [String]
    var perSecond: Double
    var stopMs: Double
    /// How many calls about jobs the normal service was told, of two for each job.
    var told: Int
    var cpuSeconds: Double
  }

  func run() async throws {
    let configuration = try TellerConfiguration.load()
    let desk = try await AssignmentDesk.open(configuration, jobs: jobs)
    let (counted, told) = (CountedJobs(jobs), Tally())
    // Nobody reads it: the cost of a log is not that of a service.
    let logger = Logger(label: "benchprobe") { _ in SwiftLogNoOpLogHandler() }
    let worker = Worker(configuration, departments: [AssignmentDesk.department: tellers], logger: logger)
    worker.register(CountedHandler(jobs: counted))
    for sort in services { sort.add(to: worker, told) }
    let before = Usage.now.cpuSeconds
    let running = Task { try await worker.run() }
    try await desk.welcome()
    let span = await counted.allEnded()
    let stopping = now
    await worker.drain()
    try await running.value
    let line = Line(
      services: services.map(\.rawValue), perSecond: Double(jobs) / (Double(span.end - span.begin) / 1e9),
      stopMs: Double(now - stopping) / 1e6, told: told.count, cpuSeconds: Usage.now.cpuSeconds - before)
    try printLine(line)
    await desk.close()
  }
}

extension ServicesCommand.Sort {
  fileprivate func add(to worker: Worker, _ told: Tally) {
    switch self {
    case .normal: worker.add(Normal(told: told))
    case .throwing: worker.add(Throwing())
    case .hanging: worker.add(Hanging())
    case .slow: worker.add(Slow())
    }
  }
}

private final class Tally: Sendable {
  private let calls = Atomic(0)
  var count: Int { calls.load(ordering: .relaxed) }
  func add() { calls.add(1, ordering: .relaxed) }
}

private struct Normal: HostedService {
  let told: Tally
  func jobStarted(_ job: HostedJob) async throws { told.add() }
  func jobEnded(_ end: HostedJobEnd) async throws { told.add() }
}

private struct Throwing: HostedService {
  struct Mistake: Error {}
  func opened() async throws { throw Mistake() }
  func jobStarted(_ job: HostedJob) async throws { throw Mistake() }
  func jobEnded(_ end: HostedJobEnd) async throws { throw Mistake() }
  func stopped() async throws { throw Mistake() }
}

/// Blocks its thread for good in its second call.
private struct Hanging: HostedService {
  func opened() async throws { while true { pause() } }
}

private struct Slow: HostedService {
  static let pause: Duration = .milliseconds(5)
  func jobStarted(_ job: HostedJob) async throws { try await Task.sleep(for: Slow.pause) }
  func jobEnded(_ end: HostedJobEnd) async throws { try await Task.sleep(for: Slow.pause) }
}

/// Does nothing, and counts.
private struct CountedHandler: JobHandler {
  static let kind: JobKind = "nothing"
  let jobs: CountedJobs

  func run(context: JobContext<NoResult>) async throws -> NoResult {
    jobs.ended()
    return NoResult()
  }
}

/// Waits for the end of so many jobs.
private final class CountedJobs: Sendable {
  private struct State {
    var left: Int
    var begin: UInt64?
  }

  private let state: Mutex<State>
  private let end = OneShot<UInt64>()

  init(_ count: Int) { state = Mutex(State(left: count)) }

  func ended() {
    let isLast = state.withLock { state in
      state.begin = state.begin ?? now
      state.left -= 1
      return state.left == 0
    }
    if isLast { end.fulfil(.success(now)) }
  }

  /// From the first job to the last one.
  func allEnded() async -> Span {
    let end = (try? await end.value) ?? now
    return Span(begin: state.withLock(\.begin) ?? end, end: end)
  }
}
