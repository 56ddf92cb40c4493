import ArgumentParser
import Teller

struct ResizeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resize",
    abstract: "Changes how many tellers the workers have in a department.",
    discussion: """
      Each worker that serves the department now gets so many tellers there; with --worker only that worker. When a worker gets \
      fewer tellers than before, the jobs that run go on, and a teller goes home when its job has ended. With 0 the worker takes \
      no further job of the department. The change lasts as long as the worker's process. `teller status` shows when it is done.

      The exit code is 66 when no worker serves the department. It is 2 when a worker would have more than \
      \(DepartmentResize.tellerLimits.upperBound) tellers in all its departments; then no worker is changed.

      On a terminal a table; in a pipe a line for each worker, with tabs between the columns. With --json one object: \
      "department", "workers" [{"id", "name", "before", "tellers"}].

      EXAMPLE: teller resize loan 8
      """
  )

  @Argument(help: "The department.")
  var department: Department

  @Argument(help: "How many tellers each worker is to have, \(DepartmentResize.tellerLimits.written); 0: none.")
  var tellers: Int

  @Option(help: "Only this worker: its id, or its name as `teller status` shows it.")
  var worker: String?

  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    guard DepartmentResize.tellerLimits.contains(tellers) else {
      throw ValidationError("TELLERS is \(DepartmentResize.tellerLimits.written); with 0 a worker takes nothing more.")
    }
  }

  func run() async throws {
    try await answer.show("resize", { try await $0.resize(department, tellers: tellers, worker: worker) }) {
      ResizeText.table($0).lines(width: TerminalSize.columns)
    }
  }
}

/// The changed workers as rows.
enum ResizeText {
  static func table(_ resize: DepartmentResize) -> Table {
    var table = Table("WORKER", "BEFORE", "TELLERS")
    for worker in resize.workers.sorted(by: { $0.name < $1.name }) {
      table.add(worker.name, String(worker.before), String(worker.tellers))
    }
    return table
  }
}
