import ArgumentParser
import CoordinatorSettings
import JobModel
import Teller

struct RerankCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rerank",
    abstract: "Gives a waiting job another priority, or another rank.",
    discussion: """
      The job keeps its id, its attempts, and the time when it was accepted. A job that runs or has ended is left as it is; the \
      exit code is then 2.

      A queued job is moved when every worker has said that it does not run the job. A worker that does not answer is waited \
      for until its lease ends. After \(RerankCommand.limit.written) the command ends with 75, and the coordinator goes on.

      With --json one object: "job", "state", "priority", "rank" (in an ordered department).

      EXAMPLE: teller rerank 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11 --priority 9
      """
  )

  /// How long the command waits for the move of a job in its queue.
  static let limit: Duration = .seconds(120)

  @Argument(help: "The job's id.")
  var job: JobID

  @Option(name: .shortAndLong, help: "How urgent it is, 0–9, higher first.")
  var priority: Priority?

  @Option(help: "Its place in an ordered department, \(Submission.rankLimits.written); lower goes first.")
  var rank: Int?

  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    guard (priority == nil) != (rank == nil) else { throw ValidationError("Give --priority or --rank.") }
    if let rank, !Submission.rankLimits.contains(rank) {
      throw ValidationError("--rank is \(Submission.rankLimits.written).")
    }
  }

  func run() async throws {
    try await answer.show("rerank", rerank) { place in
      let words = place.rank.map { "rank \($0)" } ?? "priority \(place.priority)"
      return ["\(place.job) is \(place.state.rawValue), with \(words)"]
    }
  }

  private func rerank(_ client: TellerClient) async throws -> JobPlace {
    // A short question first: a missing coordinator, or an unknown job, is an error at once.
    _ = try await client.job(job)
    do {
      return try await move(client)
    } catch TellerError.noCoordinator {
      // An error here: there is no coordinator any more.
      _ = try await client.job(job)
      throw Failure(
        .noCoordinator,
        "job \(job) is being moved; not all workers have answered yet: see `teller show \(job)`")
    }
  }

  private func move(_ client: TellerClient) async throws -> JobPlace {
    if let rank { return try await client.rerank(job, rank: rank, within: RerankCommand.limit) }
    return try await client.rerank(job, priority: priority ?? .normal, within: RerankCommand.limit)
  }
}
