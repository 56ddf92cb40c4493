import JobModel

/// The reports that went to the coordinator's early queue, and for whose answer the worker waits; and whether reports go there
/// at all.
///
/// Nothing of that queue is on a disk. So a report without an answer goes to the durable queue, and for a while all reports do.
struct EarlyReports: Sendable {
  private var awaited: Set<ReleaseID> = []
  private var pause = EarlyPause()

  /// Whether the early queue is worth while.
  func isOpen(at now: ContinuousClock.Instant) -> Bool { !pause.lasts(at: now) }

  /// Begins to wait for the answer to a batch. There is one at a time.
  mutating func begin(_ batch: ReportOutbox.Batch) { awaited = Set(batch.reports.map(\.release)) }

  /// The coordinator has recorded reports.
  ///
  /// - Returns: whether these were the last ones that are awaited.
  mutating func recorded(_ releases: [ReleaseID]) -> Bool {
    guard !awaited.isEmpty else { return false }
    awaited.subtract(releases)
    return awaited.isEmpty
  }

  /// The wait is over.
  mutating func end(isRecorded: Bool, at now: ContinuousClock.Instant) {
    awaited = []
    if isRecorded { pause.noteAnswer() } else { pause.noteSilence(at: now) }
  }
}
