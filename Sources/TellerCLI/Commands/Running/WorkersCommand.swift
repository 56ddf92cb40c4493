import ArgumentParser
import JobModel
import Teller

struct WorkersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "workers",
    abstract: "Lists the workers that the coordinator has heard of.",
    discussion: """
      A worker is listed until it says that it ends, or until it has been silent for its lease.

        STATE           the worker
        serving         takes jobs
        draining        takes no further job, and ends when its jobs have ended
        told to drain   was told by an operator to drain, and has not answered

      The number of stuck jobs follows the state. A job is stuck when its handler ignores a cancel or a timeout. KINDS are \
      the kinds for which the worker has handlers. KINDS is "all" when the worker does not name its kinds. IN HAND is how \
      many jobs the worker has taken ahead, and has not begun: see `ahead` in teller.yaml.

      On a terminal the command prints a table. In a pipe each worker is one line, without a header, with tabs between the \
      columns.

      With --json one object a line: "id", "name", "tellers" {department: number}, "paused" [departments], "running", \
      "in_hand" (left out when there is none), \
      "stuck" [at most \(WorkerStatus.stuckLimit) of the jobs], "stuck_count", "draining", "told_to_drain", \
      "last_seen_ms", "kinds" (left out when the worker does not name its kinds).

      EXAMPLE: teller workers -d loan
      """
  )

  @Option(name: .shortAndLong, help: "Only workers that serve this department.")
  var department: Department?

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let workers = try await answer.global.withClient("workers") { try await all($0) }
    try answer.list(workers, table: WorkersText.table(workers), none: "no workers")
  }

  private func all(_ client: TellerClient) async throws -> [WorkerPage.Worker] {
    var workers: [WorkerPage.Worker] = []
    var query = WorkerQuery(department: department, limit: WorkerQuery.limits.upperBound)
    repeat {
      let page = try await client.workers(query)
      workers += page.workers
      query.after = page.next
    } while query.after != nil
    return workers
  }
}

/// Workers as rows.
enum WorkersText {
  private static let stateColumn = 6

  static func table(_ workers: [WorkerPage.Worker]) -> Table {
    var table = Table("WORKER", "NAME", "TELLERS", "RUNNING", "IN HAND", "LAST HEARD", "STATE", "KINDS")
    for worker in workers {
      let status = worker.status
      let cells = [
        status.id.text, status.name, tellers(of: status), String(status.running), String(status.inHand),
        "\(status.silence.inWords) ago",
        state(of: status), worker.kinds.map { $0.map(\.name).joined(separator: " ") } ?? "all",
      ]
      table.add(cells, styles: status.stuckCount > 0 ? [stateColumn: .bad] : [:])
    }
    return table
  }

  /// `counter=2 loan=1 (paused)`.
  static func tellers(of worker: WorkerStatus) -> String {
    worker.tellers.sorted { $0.key < $1.key }.map { name, count in
      "\(name)=\(count)" + (worker.paused.contains(name) ? " (paused)" : "")
    }.joined(separator: " ")
  }

  /// `serving`, `draining` or `told to drain`, with the number of stuck jobs.
  static func state(of worker: WorkerStatus) -> String {
    let state = worker.isDraining ? "draining" : worker.isToldToDrain ? "told to drain" : "serving"
    return state + (worker.stuckCount > 0 ? ", \(worker.stuckCount) stuck" : "")
  }
}
