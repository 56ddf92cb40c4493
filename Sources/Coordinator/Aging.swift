import JobModel
import Ledger

extension Bookkeeper {
  /// How many releases one turn withdraws because they have waited for long.
  static let agingLimit = 64

  /// Within the broker a queue is strict: a job of low priority waits for as long as others keep coming. One that has
  /// waited for what a level of priority is worth is released anew with the highest, where there is somebody to serve it:
  /// a level more each time would leave a message behind each time.
  func ageReleases(at now: Timestamp) throws(LedgerError) {
    guard !isQuiet else { return }
    let worth = configuration.priorityWorth
    let waiting = released.values.filter { job in
      !job.progress.wasStarted && job.isConfirmed && changes[job.release] == nil
        && job.releasePriority < .highest && job.standing.agedPriority(at: now, worth: worth) > job.releasePriority
        && !self[desk: job.department].isOrdered && !self[desk: job.department].isPaused
        && now - worth > job.releasedAt
    }
    guard !waiting.isEmpty else { return }
    let served = Set(waiting.map(\.department).filter { tellers(of: $0) > 0 })
    let oldest = waiting.filter { served.contains($0.department) }.sorted { $0.standing < $1.standing }
    try turn { transaction, outgoing in
      for job in oldest.prefix(Bookkeeper.agingLimit) { try withdraw(job, for: .age, transaction, &outgoing) }
      try carryOut(claims.flush(), transaction, &outgoing)
    }
  }

  /// What a job is published with: its own priority, or more after it has waited for long.
  func releasePriority(_ priority: Priority, _ standing: Standing, at now: Timestamp) -> Priority {
    max(priority, standing.agedPriority(at: now, worth: configuration.priorityWorth))
  }
}
