import ArgumentParser
import JobTransport
import Teller

/// `teller rerank`: another place in the queue.
struct RerankCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rerank",
    abstract: "Gives a waiting job another priority, or another rank.",
    discussion: """
      It may be held or in its queue; one that runs or has ended is left as it is, and the exit code is then 2. It keeps \
      its id, its attempts, and when it was accepted.

      With --json one object: "job", "state", "priority", "rank" (in an ordered department).

      EXAMPLE: teller rerank 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11 --priority 9
      """
  )

  @Argument(help: "The job's id.")
  var job: JobID

  @Option(help: "How urgent it is, 0–9, higher first.")
  var priority: Priority?

  @Option(help: "Its place in an ordered department, \(Submission.rankLimits.written); lower goes first.")
  var rank: Int?

  @Flag(help: "Print one JSON object.")
  var json = false

  @OptionGroup var global: GlobalOptions

  func validate() throws {
    guard (priority == nil) != (rank == nil) else { throw ValidationError("Give --priority or --rank.") }
    if let problem = order.problem { throw ValidationError(problem) }
  }

  func run() async throws {
    let document = try await global.withClient("rerank") { try await $0.rerankDocument(order) }
    if json { return try Output.json(document) }
    let place = document.rank.map { "rank \($0)" } ?? "priority \(document.priority)"
    Output.line("\(document.job) is \(document.state.rawValue), with \(place)")
  }

  private var order: RerankOrder { RerankOrder(job: job, priority: priority, rank: rank) }
}
