/// The tasks that wait until a turn is safe. Each waits for one turn; several may wait for the same turn.
struct SafetyWaiters {
  private struct Waiter {
    let turn: Int64
    let continuation: CheckedContinuation<Bool, Never>
  }

  private var waiting: [Int: Waiter] = [:]
  private var lastWaiter = 0

  var count: Int { waiting.count }

  /// The number of a new waiter.
  mutating func nextWaiter() -> Int {
    lastWaiter += 1
    return lastWaiter
  }

  mutating func add(_ waiter: Int, for turn: Int64, _ continuation: CheckedContinuation<Bool, Never>) {
    waiting[waiter] = Waiter(turn: turn, continuation: continuation)
  }

  /// All turns up to this one are safe: their waiters go on.
  mutating func turnsAreSafe(upTo turn: Int64) {
    for (number, waiter) in waiting where waiter.turn <= turn {
      waiting[number] = nil
      waiter.continuation.resume(returning: true)
    }
  }

  /// The waiter's task was cancelled: the waiter is told that its turn is not safe.
  mutating func giveUp(_ waiter: Int) {
    waiting.removeValue(forKey: waiter)?.continuation.resume(returning: false)
  }
}
