import ArgumentParser
import Teller

/// The options that select jobs: their ids, or a scope.
struct SelectionOptions: ParsableArguments {
  /// How many jobs one command may name.
  static let most = 10_000

  @Argument(help: "The jobs' ids, at most \(SelectionOptions.most).")
  var jobs: [JobID] = []

  @Option(help: "All of this kind, instead of naming them.")
  var kind: JobKind?

  @Option(help: "All of this department; with --kind those that are in both.")
  var department: Department?

  @Flag(help: "All there are.")
  var all = false

  @Flag(help: "Return at once: the coordinator goes on by itself, and `teller operation` tells how far it is.")
  var noWait = false

  func validate() throws {
    let isFiltered = kind != nil || department != nil
    guard [!jobs.isEmpty, isFiltered, all].count(where: { $0 }) == 1 else {
      throw ValidationError("Either name jobs, or give --kind, --department or both, or --all.")
    }
    if jobs.count > SelectionOptions.most { throw ValidationError("At most \(SelectionOptions.most) jobs.") }
    if noWait, !jobs.isEmpty { throw ValidationError("--no-wait is for commands without the ids of jobs.") }
  }

  /// Nil when the jobs are named.
  var scope: JobScope? {
    if all { return .all }
    if let kind { return .kind(kind, in: department) }
    return department.map { .department($0) }
  }
}

extension SelectionOptions {
  /// Has the coordinator carry out a command about the selected jobs, and prints the result.
  ///
  /// - Throws: `Failure` when named jobs are left as they are; `TellerError`.
  func carryOut(_ action: JobAction, _ client: TellerClient, json: Bool) async throws {
    guard let scope else {
      let changes = try await action.change(jobs, client)
      if json { try Output.json(changes) } else { ChangeText(action: action).show(changes) }
      let status = ChangeText(action: action).status(changes)
      if status != .success { throw Failure(status) }
      return
    }
    try await OperationWait(client: client, json: json).follow(try await action.begin(scope, client), noWait: noWait)
  }
}
