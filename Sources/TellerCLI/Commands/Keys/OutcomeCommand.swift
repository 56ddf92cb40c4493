import ArgumentParser
import JobModel
import Teller

struct OutcomeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outcome",
    abstract: "Prints the outcome of a key, whoever has submitted its job.",
    discussion: """
      The outcome is that of the last job that has, or had, the key. It is kept until the key is used again or reset: as \
      long as the key is taken, and after that as long as the ledger keeps the job. The line is that of `teller wait`.

      With --wait the command waits until there is an outcome, also when nobody has used the key yet. When the key is reset \
      meanwhile, the command waits for the next use.

        exit code   when
        0           the job succeeded
        1           the job failed or was cancelled
        2           the job has not ended (without --wait)
        67          nobody has used the key, or it was reset (without --wait)
        124         --within has passed, counted from the start of the command

      With --json one object, as `teller keys show --json` prints it, also when there is no outcome.

      EXAMPLE: teller outcome --kind invoice --key 2026-03/A-17 --wait --within 5m
      """
  )

  @Option(name: .shortAndLong, help: "The kind of the jobs that the key is for.")
  var kind: JobKind

  @Option(help: "The key, 1–\(SubmissionKey.longest) bytes.")
  var key: String

  @Flag(help: "Wait until there is an outcome.")
  var wait = false

  @Option(
    help: ArgumentHelp(
      """
      How long --wait waits, such as 90s or 5m. (default: until there is an outcome, or no coordinator has answered for \
      \(OutcomeWait.patience.written))
      """, valueName: "duration"))
  var within: DurationArgument?

  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    try KeyArguments.check(key)
    if within != nil, !wait { throw ValidationError("--within is the limit of --wait.") }
  }

  func run() async throws {
    let deadline = within.map { ContinuousClock.now + $0.duration }
    let timeouts = OutcomeWait.timeouts(within: within?.duration)
    let status = try await answer.global.withClient("outcome", timeouts: timeouts) { client in
      let name = JobKey(kind: kind, key: key)
      guard wait else { return try await client.key(name) }
      return try await client.endedKey(name, timeout: deadline.map { max(.zero, $0 - .now) })
    }
    if answer.json { try Output.json(status) }
    try show(status)
  }

  private func show(_ status: KeyStatus) throws {
    guard let job = status.job else {
      throw Failure(
        .keyUnused, "nobody has used key \(key) of kind \(kind), or it was reset since; --wait waits for the next use")
    }
    guard let outcome = status.outcome else {
      throw Failure(.rejected, "job \(job) has no outcome yet: it is \(status.state?.rawValue ?? "not known")")
    }
    if !answer.json { Output.line(OutcomeText.line(job, outcome)) }
    if outcome.state != .succeeded { throw Failure(.jobFailed) }
  }
}
