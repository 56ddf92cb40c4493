import Dispatch
import Foundation
import Synchronization

/// Watches, off the connection's thread, how long that thread is stuck in a send.
///
/// A send blocks for as long as the broker reads nothing. The only way out of it is to shut the socket down: the send
/// then fails, and the connection ends.
// Unchecked: `timer` is the only member that is not Sendable by type; it is set in init, and dispatch sources may be
// cancelled from any thread.
final class SendWatch: @unchecked Sendable {
  private struct State {
    /// `nil` once the socket is about to be closed: its number may soon be another's.
    var descriptor: Int32?
    var sendingSince: ContinuousClock.Instant?
    var hasTripped = false
  }

  private final class Watched: Sendable {
    let state: Mutex<State>
    init(descriptor: Int32) { state = Mutex(State(descriptor: descriptor)) }
  }

  /// How often within the limit it is checked: a send is cut off at most a quarter late.
  private static let checksPerLimit = 4

  private let watched: Watched
  private let timer: any DispatchSourceTimer

  init(descriptor: Int32, limit: Duration) {
    let watched = Watched(descriptor: descriptor)
    self.watched = watched
    timer = DispatchSource.makeTimerSource(queue: .global())
    let interval = max(1, limit.milliseconds / Int64(Self.checksPerLimit))
    let repeating = DispatchTimeInterval.milliseconds(Int(clamping: interval))
    timer.schedule(deadline: .now() + repeating, repeating: repeating)
    timer.setEventHandler { Self.check(watched, limit: limit) }
    timer.resume()
  }

  deinit { timer.cancel() }

  /// Whether the socket was shut down because a send took too long.
  var hasTripped: Bool { watched.state.withLock { $0.hasTripped } }

  func sending<Result>(_ body: () -> Result) -> Result {
    watched.state.withLock { $0.sendingSince = .now }
    defer { watched.state.withLock { $0.sendingSince = nil } }
    return body()
  }

  /// Lets go of the socket, before it is closed.
  func retire() {
    watched.state.withLock { $0.descriptor = nil }
    timer.cancel()
  }

  private static func check(_ watched: Watched, limit: Duration) {
    watched.state.withLock { state in
      guard let descriptor = state.descriptor, let since = state.sendingSince, .now - since > limit else { return }
      state.hasTripped = true
      state.descriptor = nil
      _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }
  }
}
