import ArgumentParser
import Foundation
import Logging
import Teller

/// `bank day`: the bank opens, customers come, are served, and the bank closes.
struct DayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "day",
    abstract: "Plays a day at the bank and reports how long it took.",
    discussion: """
      A coordinator and tellers must be running (see `bank --help`). The opening is a plan of nine ranked steps, handed \
      in in shuffled order; then the customers come, all at once. On a terminal the counters are drawn live, in a pipe \
      there is a line for each thing that happens.

      The makespan runs from the first customer's submission to the last customer's outcome. The ideal is the largest \
      over the departments of ceil(customers ÷ tellers) × service time.

      Exits with 1 when a customer was not served or the steps did not run by rank, with 130 after Ctrl-C; `bank --help` \
      has the other codes.

      EXAMPLE: bank day --customers 30 --seed 7 --speed 10
      """
  )

  @Option(help: "How many customers come, 1–1000.")
  var customers = 30

  @Option(help: "The same seed makes the same customers; without one they are different each day.")
  var seed: UInt64?

  @Option(help: "How many times faster than life, 0.01–1000.")
  var speed = 1.0

  @Flag(help: "Print nothing but the report, as one line of JSON; times are in seconds.")
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
    let opening = try Opening.plan(at: pace, using: &generator)
    let customers = Customer.enter(customers, using: &generator)
    let client = try await TellerClient.connect(
      try settings.configuration(), name: "bank day", logger: logger)
    let display = display
    defer { display.close() }
    let report = try await Day(client: client, pace: pace, opening: opening, customers: customers).play(on: display)
    await client.close()
    return report
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
