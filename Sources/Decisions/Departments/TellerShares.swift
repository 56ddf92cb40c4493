package import JobModel

/// How one worker's tellers of a department are shared out between its queue and the queues beside it. A pure rule.
///
/// A teller can only wait at one queue, so a share that is not used is idle. Shares follow the jobs that are in the
/// queues: in proportion, at least one for each queue that has any, and the rest for the department. With fewer tellers
/// than such queues, they take turns.
package enum TellerShares {
  /// - Parameters:
  ///   - tellers: Of the worker, in the department.
  ///   - jobs: The jobs in the department's own queue.
  ///   - beside: The jobs in the queues of the kinds that the worker has a handler for; a kind without jobs may be missing.
  ///   - turn: Counts up from one sharing to the next.
  /// - Returns: How many tellers serve each kind; the others serve the department.
  package static func shares(
    of tellers: Int, jobs: Int, beside: [JobKind: Int], turn: Int
  ) -> [JobKind: Int] {
    let kinds = beside.filter { $0.value > 0 }.keys.sorted()
    guard tellers > 0, !kinds.isEmpty else { return [:] }
    let queues = kinds.count + (jobs > 0 ? 1 : 0)
    guard tellers >= queues else { return turns(of: tellers, kinds, hasJobs: jobs > 0, turn) }
    let total = kinds.reduce(jobs) { $0 + (beside[$1] ?? 0) }
    var left = tellers - queues
    var shares: [JobKind: Int] = [:]
    for kind in kinds {
      let part = min(left, (tellers - queues) * (beside[kind] ?? 0) / total)
      shares[kind] = 1 + part
      left -= part
    }
    // With nothing in the department's queue, nobody waits there.
    if jobs == 0, let first = kinds.max(by: { (beside[$0] ?? 0, $1) < (beside[$1] ?? 0, $0) }) {
      shares[first, default: 0] += left
    }
    return shares
  }

  /// One teller each for as many queues as there are tellers, beginning with another one each time.
  private static func turns(of tellers: Int, _ kinds: [JobKind], hasJobs: Bool, _ turn: Int) -> [JobKind: Int] {
    let queues: [JobKind?] = kinds.map { $0 } + (hasJobs ? [nil] : [])
    let chosen = (0..<tellers).map { queues[(turn + $0) % queues.count] }
    return chosen.compactMap(\.self).reduce(into: [:]) { $0[$1] = 1 }
  }
}
