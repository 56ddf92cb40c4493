import Decisions
package import JobModel
package import Ledger
import Logging

/// The epoch of the ledger: another one begins when the ledger is behind what it has told.
extension Bookkeeper {
  /// How far this ledger has come. Told to nobody: see ``safePosition()``.
  private func position() throws(LedgerError) -> NotificationPosition {
    NotificationPosition(epoch: parts.epoch.number, seq: try record { try $0.lastSeq() })
  }

  /// The same, once all of it is safe: a coordinator that takes over has no less, and would take a position of a turn that
  /// it lacks for one of a ledger that was rolled back.
  package func safePosition() async throws -> NotificationPosition {
    while !isAllSafe { try await waitUntilSafe() }
    return try position()
  }

  /// Whether it has ever accepted a job.
  package func hasAccepted() throws(LedgerError) -> Bool { try record { try $0.lastNumber() } > 0 }

  /// The stream does not answer, and the session serves without it. Whether the ledger was rolled back is decided by where
  /// it stood when the session began, not by what the session records. If the session ends before the stream has answered,
  /// the next one compares with the same position.
  package func streamIsUnknown(from own: NotificationPosition) throws(LedgerError) {
    try record { try $0.streamIsUnknown(from: own.seq) }
  }

  /// Whether the stream is ahead of where the ledger stood when the session began. Then the next session begins a new epoch.
  package func isBehind(
    streamAt last: NotificationPosition?, from own: NotificationPosition
  ) throws(LedgerError) -> Bool {
    guard let last, last > (try asOfLastAnswer(own)) else {
      try record { try $0.streamIsKnown() }
      return false
    }
    parts.epoch.noteShown(last.epoch)
    return true
  }

  /// Where the ledger stood when the stream was known last, if that was before.
  private func asOfLastAnswer(_ own: NotificationPosition) throws(LedgerError) -> NotificationPosition {
    guard let seq = try record({ try $0.streamUnknownSince() }) else { return own }
    return min(own, NotificationPosition(epoch: own.epoch, seq: seq))
  }

  /// Begins a new epoch if the stream has notifications that the ledger has not, or a worker a number that the ledger
  /// never gave. `last`: the furthest of this ledger in the stream, nil when none was found. Returns whether it did;
  /// not when there is none left: no ledger is rolled back so often, so the numbers that it has seen were made up. What was
  /// due by `now`, in the ledger's time, is held then; nil: the present time.
  package func compare(
    withStreamAt last: NotificationPosition?, at now: Timestamp? = nil
  ) throws(LedgerError) -> Bool {
    let (own, epoch) = (try asOfLastAnswer(try position()), parts.epoch)
    // Above all that were shown at once: each session that is ended for one more epoch is a lease in which nothing
    // starts.
    let highest = max(last?.epoch ?? epoch.number, epoch.shown ?? epoch.number, epoch.number)
    guard epoch.shown != nil || last.map({ $0 > own }) == true else {
      try record { try $0.streamIsKnown() }
      return false
    }
    defer { epoch.forgetShown() }
    guard highest < JobProgress.lastEpoch else {
      logger.error(
        "the ledger seems to be behind what it has told, but has no epoch left: it goes on in the present one",
        metadata: ["epoch": "\(epoch.number)", "seen": "\(highest)"])
      return false
    }
    let (now, isHolding) = (now ?? parts.time.now, configuration.afterRestore == .hold)
    epoch.begin(try record { try $0.beginEpoch(atLeast: highest + 1, at: now, isHolding: isHolding) })
    parts.dueTimes.setRestoring(isHolding ? now : nil)
    logger.warning(
      "the ledger is behind what it has told: it was rolled back; a new epoch begins",
      metadata: ["epoch": "\(epoch.number)", "ledger": "\(own.seq)", "stream": "\(last?.seq ?? 0)"])
    return true
  }
}
