import JobModel

/// The changes of jobs that are relayed to watches, and not recorded: see ``LiveEvent``.
enum LiveNews {
  /// How many changes one message tells.
  static let perMessage = 256

  /// The messages about those changes that are asked for. The order of one job's changes stays, since a job is accepted
  /// before it is released.
  static func messages(of changes: [JobChange], asked events: Set<LiveEvent>, at now: Timestamp) -> [Outgoing] {
    LiveEvent.allCases.filter(events.contains).flatMap { event in
      let told = changes.filter { $0.has(event) }.map { change in
        Notification(
          job: change.job.id, kind: change.job.kind, department: change.job.department, event: event.rawValue, at: now)
      }
      return stride(from: 0, to: told.count, by: perMessage).map { start in
        Outgoing.news(event, Array(told[start..<min(start + perMessage, told.count)]))
      }
    }
  }
}

extension JobChange {
  fileprivate func has(_ event: LiveEvent) -> Bool {
    switch event {
    case .accepted: from == nil
    case .released: to == .queued
    }
  }
}
