import ArgumentParser
import Teller

/// One job at a time, or one per task: the next one is submitted when the outcome of the last one is there.
struct LatencyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "latency",
    abstract: "Submits one job after the other, and prints how long each took until its outcome was here."
  )

  /// Jobs before the first that is measured: connections, queues and caches are there then.
  private static let warmUp = 20

  @Option(help: "How many.")
  var count: Int

  @Option(help: "How many tasks of one client do so at the same time.")
  var tasks = 1

  @OptionGroup var jobs: JobOptions

  func validate() throws {
    guard (1...1_000).contains(tasks) else { throw ValidationError("--tasks takes 1–1000") }
    guard (1...Latencies.most).contains(count) else { throw ValidationError("--count takes 1–\(Latencies.most)") }
  }

  func run() async throws {
    try await withClient { client in
      let latencies = Latencies(room: count)
      try await withThrowingDiscardingTaskGroup { group in
        for task in 0..<tasks {
          // The whole is `count`.
          let share = count / tasks + (task < count % tasks ? 1 : 0)
          group.addTask { try await runMany(share, client, latencies) }
        }
      }
      try printLine(latencies.summary)
    }
  }

  private func runMany(_ count: Int, _ client: TellerClient, _ latencies: Latencies) async throws {
    for index in -LatencyCommand.warmUp..<count {
      let begin = now
      try await LatencyCommand.runOne(jobs, client)
      if index >= 0 { latencies.record(since: begin) }
    }
  }

  /// Submits a job and waits until it has succeeded: without a limit of its own, that would cost a timer a job. The
  /// client gives up when no coordinator answers, and Deploy/bench when it takes too long.
  static func runOne(_ jobs: JobOptions, _ client: TellerClient) async throws {
    let handle = try await client.submit(jobs.submission(replies: .outcome))
    guard case .succeeded = try await handle.outcome() else {
      throw UnexpectedOutcome(description: "job \(handle.id) did not succeed")
    }
  }
}
