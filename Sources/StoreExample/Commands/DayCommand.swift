import ArgumentParser
import Foundation
import Logging
import Teller

/// `store day`: sections are fetched, prices change, and an order is pressed twice.
struct DayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "day",
    abstract: "Plays a day in the store and reports how it went.",
    discussion: """
      A coordinator must run: `store --help` shows the commands. Without --shop the day brings a shop, a worker and a \
      folder of pictures of its own, and removes them at its end. With --shop it uses that one, and workers must run.

      The sections are fetched beside each other, each with its pictures. Then prices change; of two that are changed \
      from the same version, the second one is refused. At last an order is pressed twice, and the chat gets it once.

      The line at the top is ● connected, ◐ slow or ○ lost, in green, yellow and red. On a terminal the screen is drawn \
      again after each change. In a pipe each notice is one line.

      The exit code is 1 when something was not as it should be. `store --help` shows the other codes.

      EXAMPLE: store day --json
      """
  )

  @Option(help: "The address of a shop. (default: one of its own, with a worker)", transform: StoreArguments.address)
  var shop: URL?

  @Flag(help: "Print only the report, as one line of JSON.")
  var json = false

  @OptionGroup var settings: SettingsOptions

  func run() async throws {
    try await StoreExit.reporting {
      let report = try await Interrupt.cancels { try await play() }
      print(json ? try StoreJSON.line(report) : "\n" + report.text)
      if !report.isFlawless { throw ExitCode(StoreExit.notAsItShould.rawValue) }
    }
  }

  private func play() async throws -> DayReport {
    if let shop { return try await day(at: shop) }
    return try await ShopServer(books: ShopBooks()).run { address in
      try await withWorker(at: address) { try await day(at: address) }
    }
  }

  private func day(at address: URL) async throws -> DayReport {
    let client = try await connect("store day", ClientTimeouts())
    var timeouts = ClientTimeouts()
    timeouts.request = LineState.patience
    let watcher = try await connect("store day, watching", timeouts)
    let display = display
    defer { display.close() }
    let shop = ShopClient(address: address)
    let day = Day(client: client, watcher: watcher, shop: shop, screen: ShopScreen(display: display, shop: shop))
    let report = try await day.play()
    await watcher.close()
    await client.close()
    return report
  }

  private var display: any Display {
    if json { return Silence() }
    return Terminal.isPresent ? LiveView() : PlainLines()
  }

  private func connect(_ name: String, _ timeouts: ClientTimeouts) async throws -> TellerClient {
    try await TellerClient.connect(try settings.configuration(), name: name, timeouts: timeouts, logger: quiet)
  }

  /// Other lines would stand in the middle of the picture.
  private var quiet: Logger {
    var logger = Logger(label: "store.day")
    logger.logLevel = .error
    return logger
  }

  /// Runs the body beside a worker with a folder of its own.
  private func withWorker<Value: Sendable>(
    at address: URL, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appending(path: "store-day-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let client = try await connect("store day, worker", ClientTimeouts())
    let staff = StoreStaff(shop: ShopClient(address: address), cache: PictureCache(folder: folder), chat: nil)
    let worker = try staff.worker(try settings.configuration(), StoreStaff.departments, client, logger: quiet)
    return try await withThrowingTaskGroup(of: Value?.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        try await worker.run()
        return nil
      }
      group.addTask { try await body() }
      var value: Value?
      while let end = try await group.next() {
        guard let end else { break }
        value = end
        await worker.drain()
      }
      await client.close()
      guard let value else { throw CancellationError() }
      return value
    }
  }
}
