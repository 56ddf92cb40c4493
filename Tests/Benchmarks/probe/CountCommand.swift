import ArgumentParser
import JobTransport
import Teller

/// Asks how the whole stands, over one connection, until so many jobs are where they are waited for.
struct CountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract: "Waits until a department has so many jobs, and prints when that was first seen."
  )

  /// Which jobs are counted.
  enum State: String, ExpressibleByArgument, CaseIterable {
    case waiting, succeeded

    func count(_ status: DepartmentStatus) -> Int {
      switch self {
      case .waiting: status.held + status.queued
      case .succeeded: status.succeeded
      }
    }
  }

  /// What was seen, and when the answer was here.
  private struct Sight: Encodable {
    var at: UInt64
    var count: Int
    /// When the notification of the last one was here, in the place of the answer; only where that was asked for.
    var notified: UInt64?
  }

  /// How long after an answer the next question is asked: near the end soon, and before seldom, since each is work for the
  /// machine that is measured.
  private static let pauses: ClosedRange<Duration> = .milliseconds(20)...(.seconds(1))
  /// How many notifications are read: reading them all would be work for the machine that is measured.
  private static let tail = 2_000

  @Option(help: "So many, at least; may be repeated, the fewest first.")
  var until: [Int]

  @Option(help: "What is counted.")
  var state = State.succeeded

  @Option(help: "The department.")
  var department = "work"

  @Option(help: "How long to wait at most, in seconds.")
  var limit: Double = 600

  @Flag(help: "Of a new ledger: tell when the so manieth notification came, too.")
  var notified = false

  @Option(help: "The number of that notification; as many as the jobs unless it is said.")
  var notification: Int?

  func run() async throws {
    try await withClient { client in
      let deadline = ContinuousClock.now + .seconds(limit)
      let watch = Watch()
      try printLine(try await sight(client))
      for target in until {
        if notified, try await reach(target - CountCommand.tail, client, deadline).count < target {
          try await watch.begin(client, until: notification ?? target)
        }
        var sight = try await reach(target, client, deadline)
        if notified { sight.notified = await watch.end() }
        try printLine(sight)
      }
    }
  }

  private func reach(
    _ target: Int, _ client: TellerClient, _ deadline: ContinuousClock.Instant
  ) async throws -> Sight {
    var last: Sight?
    while true {
      let sight = try await sight(client)
      if sight.count >= target { return sight }
      guard ContinuousClock.now < deadline else {
        throw UnexpectedOutcome(description: "\(sight.count) of \(target) jobs are \(state) after \(limit) s")
      }
      try await Task.sleep(for: CountCommand.pause(after: sight, last, until: target))
      last = sight
    }
  }

  /// Half of the time that is left at the present speed.
  private static func pause(after sight: Sight, _ last: Sight?, until target: Int) -> Duration {
    guard let last, sight.count > last.count else { return pauses.lowerBound }
    let perJob = (sight.at - last.at) / UInt64(sight.count - last.count)
    let left = Duration.nanoseconds(perJob * UInt64(target - sight.count))
    return min(pauses.upperBound, max(pauses.lowerBound, left / 2))
  }

  private func sight(_ client: TellerClient) async throws -> Sight {
    let status = try await client.status()
    let counted = status.departments.first { $0.department.name == department }
    guard let counted else { throw UnexpectedOutcome(description: "there is no department \(department)") }
    return Sight(at: now, count: state.count(counted))
  }
}
