import ArgumentParser
import Foundation
import Logging
import Teller

/// `store worker`: fetches sections and pictures, and posts orders.
struct WorkerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker",
    abstract: "Fetches sections and pictures, and posts orders.",
    discussion: """
      Start as many workers as you like. Workers of one machine may share a folder of pictures. A section waits for its \
      pictures, which are jobs of the same department: its teller is lent meanwhile, so one teller is enough.

      SIGTERM or Ctrl-C lets the tellers finish; a second one closes at once. `store --help` has the exit codes.

      EXAMPLE: store worker --shop http://127.0.0.1:8090 --department shop=2 --department orders=1
      """
  )

  @Option(help: "The address of the shop.", transform: StoreArguments.address)
  var shop: URL

  @Option(
    name: .customLong("department"),
    help: ArgumentHelp("A department and how many tellers serve it; may be repeated.", valueName: "name=tellers"))
  var staffing: [Staffing] = []

  @Option(help: ArgumentHelp("Where the pictures are kept.", valueName: "folder"))
  var cache = "store-pictures"

  @Option(
    help: ArgumentHelp(
      "A file whose first line is the address of a chat that takes what Slack takes. (default: the chat of the shop)",
      valueName: "file"))
  var chatFile: String?

  @OptionGroup var settings: SettingsOptions

  func validate() throws {
    if staffing.isEmpty { throw ValidationError("Name at least one department, such as --department shop=2.") }
  }

  func run() async throws {
    BufferedLog.bootstrap()
    try await StoreExit.reporting {
      let configuration = try settings.configuration()
      // Of a department that is named twice the last number counts.
      let departments = Dictionary(staffing.map { ($0.department, $0.tellers) }, uniquingKeysWith: { $1 })
      let client = try await TellerClient.connect(configuration, name: "store worker")
      let staff = StoreStaff(
        shop: ShopClient(address: shop), cache: PictureCache(folder: URL(filePath: cache)),
        chat: try chatFile.map(StoreArguments.chat))
      let worker = try staff.worker(configuration, departments, client)
      try await worker.runService()
      await client.close()
    }
  }
}

/// What the workers of the store need.
struct StoreStaff: Sendable {
  var shop: ShopClient
  var cache: PictureCache
  /// Nil: the shop's own chat.
  var chat: URL?

  /// The departments of a store on one machine.
  static let departments: [Department: Int] = ["shop": 2, "orders": 1]

  func handlers(_ client: TellerClient) -> [any JobHandler] {
    [
      FetchSection(shop: shop, client: client), FetchPicture(shop: shop, cache: cache), Reprice(shop: shop),
      PlaceOrder(shop: shop, chat: chat),
    ]
  }

  /// A worker with all handlers of the store.
  func worker(
    _ configuration: TellerConfiguration, _ departments: [Department: Int], _ client: TellerClient,
    logger: Logger = Logger(label: "teller.worker")
  ) throws -> Worker {
    try cache.open()
    let worker = Worker(configuration, departments: departments, logger: logger)
    for handler in handlers(client) { worker.register(handler) }
    return worker
  }
}
