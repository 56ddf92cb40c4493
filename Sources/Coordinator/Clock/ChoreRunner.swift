import Bookkeeping
import JobTransport

/// Does what takes more turns than one, so that each turn is short and the flow goes on in between; and waits for new
/// chores.
struct ChoreRunner {
  let bookkeeper: Bookkeeper
  let outbox: Outbox
  /// Fired when there are some.
  let arrived: Signal

  func run() async throws {
    while true {
      await outbox.waitForRoom()
      try await bookkeeper.waitUntilSafe()
      try Task.checkCancellation()
      if try await doChores() { continue }
      guard await arrived.wait() else { return }
    }
  }

  private func doChores() async throws -> Bool {
    bookkeeper.board.begin(HealthPart.chores)
    defer { bookkeeper.board.end(HealthPart.chores) }
    return try await bookkeeper.doChores()
  }
}
