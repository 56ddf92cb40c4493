import JobModel

/// Acceptance numbers and the times of acceptance go the same way, since the ledger's clock never goes back. So a time is
/// found by its number: no index has the times.
extension Statements {
  /// The numbers of the jobs that were accepted within a time, and go before a number.
  func stretch(of filter: JobFilter) throws -> Stretch {
    var stretch = Stretch(before: filter.before ?? .max, isNewestFirst: true)
    if let since = filter.acceptedSince {
      stretch.after = try firstNumber(acceptedFrom: since).clampedSubtracting(1)
    }
    if let until = filter.acceptedBefore {
      stretch.before = min(stretch.before, try firstNumber(acceptedFrom: until))
    }
    return stretch
  }

  /// A number such that all jobs below it were accepted before `time`, and no other job was: found by halving the numbers
  /// again and again, so the jobs that are looked at are as many as the number of jobs has binary digits.
  private func firstNumber(acceptedFrom time: Timestamp) throws -> Int64 {
    guard var low: Int64 = try first("SELECT number FROM job ORDER BY number LIMIT 1"),
      let last: Int64 = try first("SELECT number FROM job ORDER BY number DESC LIMIT 1")
    else { return 0 }
    var high = last.clampedAdding(1)
    while low < high {
      let middle = low + high.clampedSubtracting(low) / 2
      let next = try first(
        "SELECT number, accepted_at FROM job WHERE number >= ? AND number < ? ORDER BY number LIMIT 1", middle, high
      ) { (number: try $0[0] as Int64, acceptedAt: try $0[1] as Timestamp) }
      if let next, next.acceptedAt < time { low = next.number.clampedAdding(1) } else { high = middle }
    }
    return low
  }
}
