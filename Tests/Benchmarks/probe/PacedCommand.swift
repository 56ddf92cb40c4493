import ArgumentParser
import Synchronization
import Teller

/// Jobs come when they come, whether earlier ones have ended or not; a job that is submitted late has waited already.
struct PacedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "paced",
    abstract: "Submits jobs at a rate, and prints how long they took from the moment at which each was due."
  )

  /// More than this under way means that the rate is more than can be served.
  private static let underWayLimit = 50_000
  /// What comes in the first seconds is not measured.
  private static let warmUp = 1.0
  private static let nanoseconds = 1e9

  @Option(help: "Jobs per second.")
  var rate: Double

  @Option(help: "For how long, in seconds.")
  var seconds: Double

  @OptionGroup var jobs: JobOptions

  func validate() throws {
    guard (0.1...100_000).contains(rate) else { throw ValidationError("--rate takes 0.1–100000") }
    guard (0.1...3_600).contains(seconds) else { throw ValidationError("--seconds takes 0.1–3600") }
    guard (1...Latencies.most).contains(measured) else {
      throw ValidationError("--rate and --seconds make \(measured) jobs, which must be 1–\(Latencies.most)")
    }
  }

  /// How many jobs are measured.
  private var measured: Int { Int(rate * seconds) }

  func run() async throws {
    try await withClient { client in
      let latencies = Latencies(room: measured)
      try await submit(client, latencies)
      try printLine(latencies.summary)
    }
  }

  private func submit(_ client: TellerClient, _ latencies: Latencies) async throws {
    let unmeasured = Int(rate * PacedCommand.warmUp)
    let underWay = UnderWay()
    let begin = now
    try await withThrowingDiscardingTaskGroup { group in
      for index in 0..<unmeasured + measured {
        let due = begin + UInt64(Double(index) / rate * PacedCommand.nanoseconds)
        try await PacedCommand.wait(until: due)
        if underWay.jobs.wrappingAdd(1, ordering: .relaxed).newValue > PacedCommand.underWayLimit {
          throw UnexpectedOutcome(description: "\(rate) jobs/s are more than can be served")
        }
        group.addTask {
          try await LatencyCommand.runOne(jobs, client)
          underWay.jobs.wrappingSubtract(1, ordering: .relaxed)
          if index >= unmeasured { latencies.record(since: due) }
        }
      }
    }
  }

  private static func wait(until due: UInt64) async throws {
    let time = now
    if due > time { try await Task.sleep(for: .nanoseconds(due - time), tolerance: .zero) }
  }
}

/// How many jobs are submitted and have not ended.
private final class UnderWay: Sendable {
  let jobs = Atomic(0)
}
