import Decisions
package import JobModel
import JobTransport
package import Ledger
import Logging

/// Departments whose queue the broker refuses. They are out, and all others go on.
extension Bookkeeper {
  /// The broker refuses the department's queue: nothing is released to it. `isSoon`: why is not known yet.
  package func refuse(_ department: Department, because reason: String, isSoon: Bool = false) {
    let now = parts.time.monotonic
    let isNews = parts.brokerQueues.refused.refuse(department, because: reason, isSoon: isSoon, at: now)
    parts.departments.close(department, for: .refused)
    showRefused()
    if !isNews || isSoon { return }
    logger.error(
      "the broker refuses the queue of a department, which is out; all others are served; the coordinator tries again",
      metadata: ["department": "\(department)", "reason": "\(reason)"])
  }

  /// The queue of a refused department could not be looked at. It stays out, for the same reason, and is looked at again
  /// after the next wait.
  package func couldNotLook(at department: Department, because reason: String) {
    parts.brokerQueues.refused.noteStillRefused(department, at: parts.time.monotonic)
    logger.warning(
      "cannot look whether the broker takes the queue of a department that is out; the coordinator tries again",
      metadata: ["department": "\(department)", "reason": "\(reason)"])
  }

  /// The broker takes the department's queue: what waits for it is released and published.
  package func readmit(_ department: Department) throws(LedgerError) {
    guard parts.brokerQueues.refused.accept(department, at: parts.time.monotonic) else { return }
    parts.departments.open(department, from: .refused)
    showRefused()
    logger.notice("the broker takes the queue of a department again", metadata: ["department": "\(department)"])
    parts.releases.publishLater(of: [department])
    signals.choresArrived.fire()
    try turn { _ in }
  }

  /// The broker has not taken these assignments: their queue is full, or its node is down. Which of the two, somebody else
  /// finds out. The releases are published again when the queue takes them.
  package func notTaken(_ releases: [ReleaseID]) {
    parts.releases.void.publishingIsOver(releases)
    for department in Set(releases.compactMap { parts.releases.department(of: $0) }) {
      refuse(department, because: "its queue has not taken a message", isSoon: true)
    }
  }

  /// The refused departments that are to be looked at again.
  package func refusedDepartments(dueAt now: Duration) -> [Department] { parts.brokerQueues.refused.due(at: now) }

  /// The memory was read anew, by which every department is open.
  func closeRefused() {
    for department in parts.brokerQueues.refused.reasons.keys { parts.departments.close(department, for: .refused) }
  }

  private func showRefused() {
    board.show(departmentsOut: parts.brokerQueues.refused.reasons.reduce(into: [:]) { $0[$1.key.name] = $1.value })
  }
}
