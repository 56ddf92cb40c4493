import ArgumentParser
import Synchronization
import Teller

/// One client as fast as it can be with single jobs: each of its tasks submits one, waits for its outcome, and submits the
/// next one.
struct SinglesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "singles",
    abstract: "Submits jobs one by one from many tasks, and prints when it began and had all outcomes, and its costs."
  )

  /// Memory: each waits with a job of its own.
  private static let taskLimit = 50_000

  @Option(help: "How many.")
  var count: Int

  @Option(help: "From how many tasks.")
  var tasks: Int

  @Flag(help: "Await no outcome: submit the next one once the broker has the last one.")
  var unanswered = false

  @OptionGroup var jobs: JobOptions

  func validate() throws {
    guard count > 0 else { throw ValidationError("--count takes 1 or more") }
    guard (1...SinglesCommand.taskLimit).contains(tasks) else {
      throw ValidationError("--tasks takes 1–\(SinglesCommand.taskLimit)")
    }
  }

  func run() async throws {
    try await withClient { client in
      let begin = now
      try await submitAll(client)
      try printLine(Span(begin: begin, end: now))
      try printLine(Usage.now)
    }
  }

  private func submitAll(_ client: TellerClient) async throws {
    let left = Left(count)
    try await withThrowingDiscardingTaskGroup { group in
      for _ in 0..<tasks {
        group.addTask {
          while left.takeOne() { try await runOne(client) }
        }
      }
    }
  }
}

extension SinglesCommand {
  private func runOne(_ client: TellerClient) async throws {
    if !unanswered { return try await LatencyCommand.runOne(jobs, client) }
    _ = try await client.submit(jobs.submission(replies: .none))
  }
}

/// How many jobs no task has taken yet. No task has a share of its own: they all end at the same time.
private final class Left: Sendable {
  private let jobs: Atomic<Int>

  init(_ count: Int) { jobs = Atomic(count) }

  func takeOne() -> Bool { jobs.wrappingSubtract(1, ordering: .relaxed).newValue >= 0 }
}
