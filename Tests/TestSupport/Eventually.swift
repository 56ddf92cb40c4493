/// Waits until a condition holds that nobody can signal, asking again with growing pauses: the one bounded wait of this
/// kind. Where there is a signal (a line, an exit, a message), wait for the signal.
/// - Parameters:
///   - name: what is waited for, as it shall stand in the failure.
///   - limit: how long; generous, because it is only ever spent on failure.
///   - isolation: the actor on which the condition is asked: the caller's.
///   - lastState: describes for the failure what was there instead.
///   - condition: what shall hold; an error that it throws counts as not yet.
/// - Throws: `TimeLimitExceeded` with the last state, or the last error of the condition; `CancellationError`.
package func eventually(
  _ name: String, within limit: Duration, isolation: isolated (any Actor)? = #isolation,
  lastState: () async -> String = { "the condition is false" }, _ condition: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + limit
  var pause = Duration.milliseconds(5)
  var failure: (any Error)?
  while true {
    do {
      failure = nil
      if try await condition() { return }
    } catch {
      failure = error
    }
    // Asked before the pause: on a busy machine a pause may be long, and what came in it counts.
    guard ContinuousClock.now < deadline else { break }
    try await Task.sleep(for: pause)
    pause = min(pause * 2, .milliseconds(200))
  }
  let state = await lastState()
  throw TimeLimitExceeded(name: name, limit: limit, lastState: failure.map { "\($0)" } ?? state)
}
