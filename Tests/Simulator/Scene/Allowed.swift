import AuditSupport
import Decisions
import JobModel

// What is allowed.
extension World {
  /// The workers that were told to drain, and run on.
  var drainingWorkers: [WorkerNode] { workers.filter { $0.isAlive && drained.contains($0.worker.text) } }

  /// A coordinator has that configuration from now on.
  func allow(_ configuration: CoordinatorConfiguration) {
    notified.insert(configuration.notifying)
    followed.formUnion(configuration.live)
    if !configuration.schedules.isEmpty { hasHadSchedules = true }
    for (department, settings) in configuration.departments {
      let window =
        settings.isOrdered
        ? .ordered
        : settings.cap.map { Window(limit: $0, cap: $0) }
          ?? Window(limit: settings.window ?? Window.defaultLimit)
      mostReleased[department] = max(mostReleased[department] ?? 0, window.most)
      // At least one other queue of its department has as much.
      mostBeside[department.name] = max(mostBeside[department.name] ?? 1, window.limit / 2)
    }
  }

  /// Jobs of that kind may be cancelled from now on.
  func allowCancelled(_ kind: JobKind) {
    cancelledKinds.insert(kind)
    for client in clients {
      for submission in client.submissions where submission.kind == kind {
        guard var wanted = record.wanted[submission.id] else { continue }
        wanted.outcomes.insert(.cancelled)
        record.want(wanted, of: submission.id)
      }
    }
  }
}
