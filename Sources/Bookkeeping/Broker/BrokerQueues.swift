import Decisions
import JobModel

/// What is known of the broker's queues from one session to the next: those whose node is down, those that were made anew,
/// and those that the broker refuses.
final class BrokerQueues {
  var down = DownQueues()
  var refused = RefusedDepartments()
  /// Queues that were made anew, and that the next session begins with.
  private var renewed: Set<JobQueue> = []

  func madeAnew(_ queue: JobQueue) { renewed.insert(queue) }

  func takeRenewed() -> Set<JobQueue> {
    defer { renewed = [] }
    return renewed
  }
}
