package import JobModel

/// The stretches of time in which a coordinator served. A limit for submitters counts only such time: while no
/// coordinator takes submissions in, nobody can submit. Pure, and bounded.
///
/// By the ledger's time; a time before the last one begins it anew.
package struct ServedTime: Hashable, Sendable {
  private struct Stretch: Hashable, Sendable {
    var start: Timestamp
    var end: Timestamp

    var length: Duration { .milliseconds(end.milliseconds(since: start)) }
  }

  /// A longer silence is time in which it did not serve.
  package static let largestGap: Duration = .seconds(10)
  /// The most stretches that are remembered.
  package static let stretchLimit = 1_000

  /// How much of it is remembered.
  private let memory: Duration
  private var stretches: [Stretch] = []

  package init(memory: Duration) { self.memory = memory }

  /// The coordinator serves now; to be called much more often than ``largestGap``.
  package mutating func goOn(at now: Timestamp) {
    guard let last = stretches.last, last.end <= now else {
      stretches = [Stretch(start: now, end: now)]
      return
    }
    if last.end + ServedTime.largestGap < now {
      stretches.append(Stretch(start: now, end: now))
    } else {
      stretches[stretches.count - 1].end = now
    }
    forget()
  }

  /// The latest moment since which it has served for that long; nil: it has not, as far as is remembered.
  package func moment(before served: Duration) -> Timestamp? {
    var left = served
    for stretch in stretches.reversed() {
      if stretch.length >= left { return stretch.end - left }
      left -= stretch.length
    }
    return nil
  }

  /// How long it has served since a moment, as far as is remembered.
  package func served(since moment: Timestamp) -> Duration {
    stretches.reduce(.zero) { sum, stretch in
      let start = max(stretch.start, moment)
      return start < stretch.end ? sum + Stretch(start: start, end: stretch.end).length : sum
    }
  }

  /// What is not needed for the last ``memory`` of it.
  private mutating func forget() {
    guard stretches.count > 1 else { return }
    var total = stretches.reduce(Duration.zero) { $0 + $1.length }
    while stretches.count > 1, stretches.count > ServedTime.stretchLimit || total - stretches[0].length >= memory {
      total -= stretches.removeFirst().length
    }
  }
}
