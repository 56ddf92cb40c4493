import Teller

/// Waits for a notification by its number, beside whatever else is waited for.
actor Watch {
  /// How long to wait for it when its job is known to have ended: it was sent before the watch began, or comes at once.
  private static let patience: Duration = .seconds(2)

  private var reading: Task<UInt64?, Never>?

  /// Returns when nothing that is sent from now on is missed.
  func begin(_ client: TellerClient, until sequence: Int) async throws {
    let events = try await client.events(since: .now)
    reading = Task {
      do {
        for try await event in events where (event.position?.sequence ?? 0) >= sequence { return now }
      } catch {
        // Nobody can tell then.
      }
      return nil
    }
  }

  /// When it came, in ns; nil when it was not seen.
  func end() async -> UInt64? {
    guard let reading else { return nil }
    self.reading = nil
    let timer = Task {
      try await Task.sleep(for: Watch.patience)
      reading.cancel()
    }
    let time = await reading.value
    timer.cancel()
    return time
  }
}
