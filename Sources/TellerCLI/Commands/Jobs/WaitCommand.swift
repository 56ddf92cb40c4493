import ArgumentParser
import JobTransport
import Teller

struct WaitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wait",
    abstract: "Waits until jobs have ended, and prints how.",
    discussion: """
      A line for each job, soon after it has ended: its id, its state, and its result or its error. With --json the \
      object that `teller show --json` prints, without the attempts. Exits with 1 when a job failed or was cancelled, \
      with 66 when one is not known, and with 124 when --timeout has passed: that is counted from the start of the \
      command.

      EXAMPLE: teller wait 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11 --timeout 5m
      """
  )

  /// How many jobs one command waits for.
  static let most = 1_000

  @Argument(help: "The jobs' ids, at most \(WaitCommand.most).")
  var jobs: [JobID]

  @Option(
    help: ArgumentHelp(
      """
      How long to wait, such as 90s or 5m; without it, until no coordinator has answered for \
      \(OutcomeWait.patience.components.seconds)s.
      """, valueName: "duration"))
  var timeout: DurationArgument?

  @Flag(help: "Print one JSON object a line.")
  var json = false

  @OptionGroup var global: GlobalOptions

  func validate() throws {
    guard jobs.count <= WaitCommand.most else { throw ValidationError("At most \(WaitCommand.most) jobs.") }
  }

  func run() async throws {
    let deadline = timeout.map { ContinuousClock.now + $0.duration }
    let allWell = try await global.withClient("wait", timeouts: OutcomeWait.timeouts(timeout: timeout?.duration)) {
      client in
      try await withThrowingTaskGroup(of: Bool.self) { group in
        let wait = OutcomeWait(deadline: deadline, client: client)
        for portion in Array(Set(jobs)).pieces(of: OutcomeWait.portion) {
          group.addTask { try await run(wait, Array(portion)) }
        }
        return try await group.reduce(true) { $0 && $1 }
      }
    }
    if !allWell { throw Failure(.jobFailed) }
  }

  /// - Returns: Whether all jobs have succeeded.
  private func run(_ wait: OutcomeWait, _ jobs: [JobID]) async throws -> Bool {
    var allWell = true
    try await wait.run(jobs) { document in
      try show(document)
      allWell = allWell && document.state == .succeeded
    }
    return allWell
  }

  private func show(_ document: JobDocument) throws {
    if json { return try Output.json(document) }
    guard let outcome = document.outcome else { return }
    Output.line(OutcomeText.line(document.id, outcome))
  }
}
