import ArgumentParser
import JobModel
import Teller

struct DrainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drain",
    abstract: "Has a worker finish what it runs, take no further job, and end.",
    discussion: """
      The worker drains and ends as after one SIGTERM. Jobs that have not started go back to their queues. The command does \
      not wait for the end. `teller workers` shows that the worker drains, and no longer lists a worker that has ended. The \
      order cannot be taken back. A supervisor such as systemd, Docker or Kubernetes may start a new process, and the new \
      process takes jobs.

      The coordinator records the order. A silent worker gets the order when a coordinator hears it again. The exit code is:

        0    the order is recorded, also for a silent worker
        2    several workers have the name, and none of them got the order
        66   there is no such worker

      With --json one object: "id", "name", "changed" (false: ordered before, or draining already), "told" (false: the \
      worker is silent), "draining" (the worker says so already), "running", "last_seen_ms".

      EXAMPLE: teller drain bank-1/4711
      """
  )

  @Argument(help: "The worker's id, or its name, as `teller workers` shows them.")
  var worker: String

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try await answer.show("drain", { try await $0.drain(worker: worker) }) { [DrainText.line($0)] }
  }
}

/// The answer to a drain, for people.
enum DrainText {
  static func line(_ drain: WorkerDrain) -> String {
    let worker = "worker \(drain.name.onOneLine) (\(drain.id))"
    let jobs = "\(drain.running) \(drain.running == 1 ? "job runs" : "jobs run")"
    if drain.isDraining { return "\(worker) drains already; \(jobs)" }
    guard drain.isTold else {
      return "\(worker) has been silent for \(drain.silence.inWords): it is told to drain when it is heard again"
    }
    return "\(worker) is told to drain\(drain.isNew ? "" : ", as before"); \(jobs)"
  }
}
