import ArgumentParser
import Foundation
import Logging
import Teller

/// `bank day`: the bank opens, customers come and are served, and the day ends.
struct DayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "day",
    abstract: "Plays a day at the bank and reports how long it took.",
    discussion: """
      A coordinator and workers must run: `bank --help` shows the commands.

      A sixth of the customers comes before the opening, and waits at the door: a gate of the plan "opening" in teller.yaml. \
      The bank opens with that plan. Its nine steps run by rank. The login finds that its session has expired, and the plan \
      goes back to "user information". The last step fails: it is optional, and passed over. A push that comes during the \
      opening is acted on at its rank; another one that comes later is announced, and accepted. When the bank is open, the \
      other customers come at once. Each customer is a job.

      \(afterDay)

      On a terminal the counters are drawn again after each change. In a pipe each event is one line. When the day does \
      not go on, the command tells the reason: the broker is not reached, no coordinator answers, a department is paused, \
      or no worker serves a department. With --json the reason is printed on standard error.

      The report has two times:

        makespan   from the moment when the bank is open to the outcome of the
                   last customer
        ideal      the shortest possible makespan

      The ideal is computed for each department, and the largest value counts. Example: 5 customers and 2 tellers take 3 \
      rounds, so with 700 ms a customer the ideal is 2.1 s.

      The exit code is 1 when a customer was not served, or when the steps did not run by rank. The exit code is 130 after \
      Ctrl-C. `bank --help` shows the other codes.

      EXAMPLE: bank day --customers 30 --seed 7 --speed 10
      """
  )

  /// The part of the help about the plan that stays open.
  static var afterDay: String {
    """
    The day ends with the last customer. The plan stays open, so the bank does not open again on the next day. To see it \
    open once more, an operator stops the plan first. The second line is for the Compose system:

      \(Opening.stop)
      docker compose run --rm operator plan stop \(Opening.plan) --gates keep
    """
  }

  @Option(help: "The number of customers, 1–1000.")
  var customers = 30

  @Option(help: "A number. The same seed makes the same customers. (default: random)")
  var seed: UInt64?

  @Option(help: "The speed of the day, 0.01–1000. At speed 10 each job takes a tenth of its time.")
  var speed = 1.0

  @Flag(help: "Print only the report, as one line of JSON. Its times are in seconds.")
  var json = false

  @OptionGroup var settings: SettingsOptions

  func validate() throws {
    guard (1...1_000).contains(customers) else { throw ValidationError("Let 1–1000 customers come.") }
    guard Pace.limits.contains(speed) else { throw ValidationError("The speed is between 0.01 and 1000.") }
  }

  func run() async throws {
    try await BankExit.reporting {
      let report = try await Interrupt.cancels { try await play() }
      try show(report)
      if !report.isFlawless { throw ExitCode(BankExit.notAsItShould.rawValue) }
    }
  }

  private func play() async throws -> DayReport {
    var generator = SeededGenerator(seed: seed ?? .random(in: .min ... .max))
    let pace = Pace(speed: speed)
    let customers = Customer.enter(customers, using: &generator)
    let client = try await TellerClient.connect(try settings.configuration(), name: "bank day", logger: logger)
    let watcher = try await watcher()
    let display = display
    defer { display.close() }
    let day = Day(client: client, watcher: watcher, pace: pace, customers: customers)
    let report = try await day.play(on: display)
    await watcher.close()
    await client.close()
    return report
  }

  /// The client of a day that watches for obstacles.
  private func watcher() async throws -> TellerClient {
    var timeouts = ClientTimeouts()
    timeouts.request = Day.patience
    return try await TellerClient.connect(
      try settings.configuration(), name: "bank day, watching", timeouts: timeouts, logger: logger)
  }

  /// Logs errors only: other lines would stand in the middle of the picture.
  private var logger: Logger {
    var logger = Logger(label: "bank.day")
    logger.logLevel = .error
    return logger
  }

  private var display: any Display {
    if json { return Silence() }
    return Terminal.isPresent ? LiveView() : PlainLines()
  }

  private func show(_ report: DayReport) throws {
    if json {
      let encoder = JSONEncoder()
      encoder.keyEncodingStrategy = .convertToSnakeCase
      encoder.outputFormatting = .sortedKeys
      print(String(decoding: try encoder.encode(report), as: UTF8.self))
    } else {
      print("\n" + ReportText.lines(report).joined(separator: "\n"))
    }
  }
}
