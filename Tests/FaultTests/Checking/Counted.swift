import JobModel
import Synchronization
import Teller

/// Events as they are read from the stream, counted by job.
final class Counted: Sendable {
  private let present = Mutex<[JobID: Int]>([:])

  var counts: [JobID: Int] { present.withLock { $0 } }
  var jobs: Set<JobID> { Set(counts.keys) }

  func add(_ event: Teller.JobEvent) { if let job = event.job { present.withLock { $0[job, default: 0] += 1 } } }
}
