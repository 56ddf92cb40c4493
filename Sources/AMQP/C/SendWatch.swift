import Dispatch
import Foundation
import Synchronization

/// Watches from another thread how long the connection's thread is stuck in a send.
///
/// A send blocks for as long as the broker reads nothing. Only a shutdown of the socket ends that: then the send fails,
/// and the connection ends.
// Unchecked: only `timer` is not Sendable by its type. It is set in init, and any thread may cancel a dispatch source.
final class SendWatch: @unchecked Sendable {
  private struct State {
    /// `nil` once the socket will be closed: another file may soon have its number.
    var descriptor: Int32?
    var sendingSince: ContinuousClock.Instant?
    var hasTripped = false
  }

  private final class Watched: Sendable {
    let state: Mutex<State>
    init(descriptor: Int32) { state = Mutex(State(descriptor: descriptor)) }
  }

  /// How often the watch looks within the limit: a send is cut off at most a quarter too late.
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

  /// Ends the watch. Must be called before the socket is closed.
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
