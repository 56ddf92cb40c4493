import ArgumentParser
import JobModel
import Teller

/// The options that select jobs: their ids, or a scope.
struct SelectionOptions: ParsableArguments {
  /// How many jobs one command may name.
  static let most = 10_000

  @Argument(help: "The jobs' ids, at most \(SelectionOptions.most).")
  var jobs: [JobID] = []

  @Option(name: .shortAndLong, help: "All jobs of this kind.")
  var kind: JobKind?

  @Option(
    name: .shortAndLong, help: "All jobs of this department. With --kind: the jobs of that kind in this department.")
  var department: Department?

  @Option(help: ArgumentHelp("For replay and drop: only failed jobs with this error code.", valueName: "code"))
  var error: String?

  @Option(
    help: ArgumentHelp(
      "Only jobs that were accepted at this time or later. 2h is two hours ago.",
      valueName: JobFilterOptions.momentName))
  var since: SinceArgument?

  @Option(
    help: ArgumentHelp(
      "Only jobs that were accepted before this time. 2h is two hours ago.", valueName: JobFilterOptions.momentName))
  var until: SinceArgument?

  @Flag(help: "All jobs.")
  var all = false

  @Flag(help: "Return at once. The coordinator goes on, and `teller operation` shows the progress.")
  var noWait = false

  @OptionGroup var confirmation: ConfirmationOptions

  func validate() throws {
    let isNarrowed = error != nil || since != nil || until != nil
    let isFiltered = kind != nil || department != nil || isNarrowed
    guard [!jobs.isEmpty, isFiltered, all].count(where: { $0 }) == 1 else {
      throw ValidationError("Either name jobs, or give filters such as --kind and --department, or --all.")
    }
    if jobs.count > SelectionOptions.most { throw ValidationError("At most \(SelectionOptions.most) jobs.") }
    if noWait, !jobs.isEmpty { throw ValidationError("--no-wait is for commands without the ids of jobs.") }
    if confirmation.dryRun, !jobs.isEmpty {
      throw ValidationError("--dry-run is for commands without the ids of jobs.")
    }
  }

  /// Nil when the jobs are named.
  var scope: JobScope? { scope(now: .now()) }

  private func scope(now: Timestamp) -> JobScope? {
    guard jobs.isEmpty else { return nil }
    let found = kind.map { JobScope.kind($0, in: department) } ?? department.map { .department($0) } ?? .all
    return found.only(
      JobNarrowing(error: error, since: since?.moment(now: now).date, until: until?.moment(now: now).date))
  }
}

extension SelectionOptions {
  /// Has the coordinator carry out a command about the selected jobs, and prints the result. Named jobs are not asked
  /// about.
  ///
  /// - Throws: `Failure` when nobody can be asked, when the answer is no, and when named jobs are left as they are;
  ///   `TellerError`.
  func carryOut(_ action: JobAction, _ answer: AnswerOptions) async throws {
    let scope = scope
    if scope != nil { try confirmation.checkAnswerable() }
    try await answer.global.withClient(action.rawValue, timeouts: OutcomeWait.timeouts()) { client in
      guard let scope else { return try await change(action, client, json: answer.json) }
      guard try await confirmation.confirm(action.word, scope, client, json: answer.json) else { return }
      let operation = try await action.begin(scope, client)
      try await OperationWait(client: client, json: answer.json).follow(operation, noWait: noWait)
    }
  }

  private func change(_ action: JobAction, _ client: TellerClient, json: Bool) async throws {
    let changes = try await action.change(jobs, client)
    if json { try Output.json(changes) } else { ChangeText(action: action).show(changes) }
    let status = ChangeText(action: action).status(changes)
    if status != .success { throw Failure(status) }
  }
}
