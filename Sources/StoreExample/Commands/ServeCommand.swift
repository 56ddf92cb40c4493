import ArgumentParser
import Foundation

/// `store serve`: a shop to play with.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serves a small shop over HTTP on this machine.",
    discussion: """
      It has three sections with four products each, their pictures, and a chat that takes what Slack takes: GET /chat \
      shows it. Everything is forgotten with its end. Only this machine reaches it. Ctrl-C ends it.

      EXAMPLE: store serve --port 8090
      """
  )

  @Option(help: "The port, 0–65535; 0: any that is free.")
  var port = 8_090

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("The port is 0–65535.") }
  }

  func run() async throws {
    try await StoreExit.reporting {
      try await Interrupt.cancels {
        try await ShopServer(books: ShopBooks()).run(port: port) { address in
          Terminal.write("the shop is at \(address.absoluteString)\n")
          try await Task.sleep(for: ServeCommand.day)
        }
      }
    }
  }

  /// A shop to play with closes by itself.
  private static let day: Duration = .seconds(86_400)
}
