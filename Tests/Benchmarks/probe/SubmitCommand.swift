import ArgumentParser
import DroppingTracer
import Teller

/// One producer as fast as it can be: portions, some of them under way at the same time, and no answers.
struct SubmitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "submit",
    abstract: "Submits jobs, and prints when it began and when the broker had them all, and what it took."
  )

  /// How many jobs are submitted at once, and how many bytes of payload.
  private static let portion = (jobs: 1_000, bytes: 4 << 20)
  /// How many portions may be under way.
  private static let portionsUnderWay = 8

  @Option(help: "How many.")
  var count: Int

  @Flag(help: "Makes spans, and drops them.")
  var traced = false

  @OptionGroup var jobs: JobOptions

  func run() async throws {
    if traced { Dropping.bootstrap() }
    try await withClient { client in
      let begin = now
      try await submitAll(client)
      try printLine(Span(begin: begin, end: now))
      try printLine(Usage.now)
    }
  }

  private func submitAll(_ client: TellerClient) async throws {
    let size = min(SubmitCommand.portion.jobs, max(1, SubmitCommand.portion.bytes / jobs.bytes))
    try await withThrowingTaskGroup(of: Void.self) { group in
      var left = count
      var underWay = 0
      while left > 0 {
        if underWay == SubmitCommand.portionsUnderWay {
          try await group.next()
          underWay -= 1
        }
        let submissions = try (0..<min(size, left)).map { _ in try jobs.submission(replies: .none) }
        left -= submissions.count
        underWay += 1
        group.addTask { _ = try await client.submit(contentsOf: submissions) }
      }
      try await group.waitForAll()
    }
  }
}
