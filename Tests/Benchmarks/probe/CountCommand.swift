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
  }

  /// How long after an answer the next question is asked.
  private static let pause: Duration = .milliseconds(20)

  @Option(help: "So many, at least; may be repeated, the fewest first.")
  var until: [Int]

  @Option(help: "What is counted.")
  var state = State.succeeded

  @Option(help: "The department.")
  var department = "work"

  @Option(help: "How long to wait at most, in seconds.")
  var limit: Double = 600

  func run() async throws {
    try await withClient { client in
      let deadline = ContinuousClock.now + .seconds(limit)
      var left = until[...]
      try printLine(try await sight(client))
      while let target = left.first {
        let sight = try await sight(client)
        if sight.count >= target {
          try printLine(sight)
          left.removeFirst()
          continue
        }
        guard ContinuousClock.now < deadline else {
          throw UnexpectedOutcome(description: "\(sight.count) of \(target) jobs are \(state) after \(limit) s")
        }
        try await Task.sleep(for: CountCommand.pause)
      }
    }
  }

  private func sight(_ client: TellerClient) async throws -> Sight {
    let status = try await client.status()
    let counted = status.departments.first { $0.name.name == department }
    guard let counted else { throw UnexpectedOutcome(description: "there is no department \(department)") }
    return Sight(at: now, count: state.count(counted))
  }
}
