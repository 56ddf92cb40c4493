import ArgumentParser
import CoordinatorSettings
import Teller

struct WaitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wait",
    abstract: "Waits until jobs have ended, and prints how.",
    discussion: """
      Each job has a line soon after it has ended: its id, its state, and its result or its error. A job that the coordinator \
      does not know has a line on standard error, and the wait for the other jobs goes on. On a terminal the last line shows \
      how far one of the first 100 jobs has come, if its handler says so; with --json there is no such line.

        exit code   when
        0           all jobs succeeded
        1           a job failed or was cancelled
        66          a job is not known, whatever became of the others
        124         --within has passed, counted from the start of the command

      With --json one object a line, as `teller show --json` prints it, without the attempts.

      EXAMPLE: teller wait 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11 --within 5m
      """
  )

  /// How many jobs one command waits for.
  static let most = 1_000

  @Argument(help: "The jobs' ids, at most \(WaitCommand.most).")
  var jobs: [JobID]

  @Option(
    help: ArgumentHelp(
      """
      How long the command waits, such as 90s or 5m. (default: until all have ended, or no coordinator has answered for \
      \(OutcomeWait.patience.written))
      """, valueName: "duration"))
  var within: DurationArgument?

  @Flag(name: .shortAndLong, help: "Print one JSON object a line.")
  var json = false

  @OptionGroup var global: GlobalOptions

  func validate() throws {
    guard jobs.count <= WaitCommand.most else { throw ValidationError("At most \(WaitCommand.most) jobs.") }
  }

  func run() async throws {
    let deadline = within.map { ContinuousClock.now + $0.duration }
    let end = try await global.withClient("wait", timeouts: OutcomeWait.timeouts(within: within?.duration)) {
      client in
      let left = deadline.map { max(.zero, $0 - .now) }
      let outcomes = client.outcomes(of: jobs, timeout: left, unknownAfter: .zero)
      return try await WaitProgress.shown(of: jobs, by: client, isWanted: !json) { try await follow(outcomes, $0) }
    }
    if let end { throw Failure(end) }
  }

  /// Prints what becomes of the jobs.
  ///
  /// - Returns: The exit status when not all have succeeded.
  private func follow(_ outcomes: JobOutcomes, _ progress: WaitProgress?) async throws -> ExitStatus? {
    var left = Set(jobs)
    var (isOneUnknown, isAllWell) = (false, true)
    do {
      for try await end in outcomes {
        switch end {
        case .ended(let record):
          left.remove(record.id)
          progress?.ended(record.id)
          isAllWell = isAllWell && record.state == .succeeded
          try show(record)
        case .unknown(let id):
          left.remove(id)
          isOneUnknown = true
          Output.note(TellerError.unknownJob(id).description)
        }
      }
    } catch TellerError.timedOut {
      let text = left.first.map { left.count == 1 ? "job \($0) has not ended" : "jobs such as \($0) have not ended" }
      throw Failure(.timedOut, "the time limit has passed, and \(text ?? "it came late"); that may still happen")
    }
    return isOneUnknown ? .unknownJob : isAllWell ? nil : .jobFailed
  }

  private func show(_ record: JobRecord) throws {
    if json { return try Output.json(record) }
    guard let outcome = record.outcome else { return }
    Output.line(OutcomeText.line(record.id, outcome))
  }
}
