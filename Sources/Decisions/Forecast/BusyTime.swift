package import JobModel

/// Since when jobs of a department wait or run, or when the last of them ended. A pure value.
package struct BusyTime: Hashable, Sendable {
  /// Nil: no job waits or runs. By the ledger's time.
  package private(set) var since: Timestamp?
  /// When the last busy time ended, and when it had begun; nil: none has ended since the process began.
  package private(set) var last: Last?

  /// A busy time that is over.
  package struct Last: Hashable, Sendable {
    package var since: Timestamp
    package var until: Timestamp
  }

  package init(since: Timestamp? = nil) { self.since = since }

  /// So many jobs wait or run now.
  package mutating func see(unfinished: Int, at now: Timestamp) {
    if unfinished > 0 {
      if since == nil { since = now }
    } else if let began = since {
      (since, last) = (nil, Last(since: began, until: now))
    }
  }
}
