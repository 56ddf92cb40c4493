import ArgumentParser
import Foundation
import Logging
import Teller

/// `store order`: presses the button.
struct OrderCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "order",
    abstract: "Places an order, which the chat gets once.",
    discussion: """
      The number of the order is a key: the same number is the same order for seven days, however often and wherever it \
      is placed. Every call prints the same receipt. A worker must serve the department "orders".

      EXAMPLE: store order A-17 --line tea-1=2 --line cakes-2=1
      """
  )

  @Argument(help: "The number of the order.")
  var number: String

  @Option(
    name: .customLong("line"),
    help: ArgumentHelp("A product and how many; may be repeated.", valueName: "product=count"),
    transform: StoreArguments.line)
  var lines: [OrderLine] = []

  @Option(help: "How many seconds to wait for the receipt, 1–3600.")
  var timeout = 60

  @Flag(help: "Print the receipt as one line of JSON.")
  var json = false

  @OptionGroup var settings: SettingsOptions

  func validate() throws {
    if lines.isEmpty { throw ValidationError("Order something, such as --line tea-1=2.") }
    guard (1...3_600).contains(timeout) else { throw ValidationError("The timeout is 1–3600 seconds.") }
  }

  func run() async throws {
    try await StoreExit.reporting {
      let receipt = try await Interrupt.cancels { try await place() }
      print(json ? try StoreJSON.line(receipt) : receipt.text)
    }
  }

  private func place() async throws -> PlaceOrder.Receipt {
    var logger = Logger(label: "store.order")
    logger.logLevel = .error
    let client = try await TellerClient.connect(try settings.configuration(), name: "store order", logger: logger)
    let submission = try PlaceOrder.submission(PlaceOrder.Payload(number: number, lines: lines))
    let receipt = try await client.submit(submission).value(timeout: .seconds(timeout))
    await client.close()
    return receipt
  }
}

/// Data for programs: one line, its members in the order of their names.
enum StoreJSON {
  static func line(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
