import JobModel
import Logging
import Synchronization

/// Waits of handlers that keep their tellers.
extension ClientCore {
  /// Warns once of a handler that waits for another job without lending its teller, and without a limit.
  func warn(ofWaiting job: JobInfo, for other: JobID) {
    let isFirst = hasWarnedOfWait.withLock { hasWarned in
      defer { hasWarned = true }
      return !hasWarned
    }
    guard isFirst else { return }
    logger.warning(
      """
      the handler of job \(job.id) waits for job \(other) without a limit, and keeps its teller: tellers that wait for \
      each other's jobs wait for ever; wait by context.value(of:through:), which lends the teller
      """)
  }
}
