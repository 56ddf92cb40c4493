import AMQP
import Decisions
import JobModel
import JobTransport
import Logging

/// The consumers of a worker: as its departments are staffed, once it is welcomed; none when it drains.
extension WorkerState {
  /// The next step about the consumers; nil: they are as they should be. See ``DepartmentPool/nextStep(isConsuming:)``.
  package mutating func nextStep() -> DepartmentPool.Step? {
    tellers.nextStep(isConsuming: isWelcomed && !isDraining)
  }

  /// What is to be acked once no step is left.
  package mutating func takeTagsToAck() -> [UInt64] {
    defer { tagsToAck = [] }
    return tagsToAck
  }

  /// Deliveries that wait for a teller go back to the queue, for other workers. A claimed release stays: the coordinator may
  /// have granted the claim by now, and a granted claim without a run uses up an attempt.
  mutating func cancelled(_ tag: String) {
    let waiting = tellers.ended(tag)
    // Before that: a presence that lists them afterwards would keep another worker from them.
    for delivery in waiting { tray.handBack(delivery.assignment.release, tag: delivery.tag) }
    for delivery in waiting { act(.requeue(delivery.tag)) }
  }

  mutating func receive(_ staffing: Staffing, at now: Instant) {
    if staffing.isToDrain, !isDraining {
      act(.log(.notice, "told to drain by an operator"))
      drain(at: now)
    }
    let (before, ahead) = ((tellers.counts, tellers.paused, tellers.beside), tellers.orderedAhead)
    tellers.staff(staffing)
    if ahead != tellers.orderedAhead {
      act(.due(.staffing))
      act(.due(.presence))
    }
    guard before != (tellers.counts, tellers.paused, tellers.beside) else { return }
    act(.due(.staffing))
    // Only the queues of kinds have changed: that is frequent while workers are being replaced.
    guard before.0 != tellers.counts || before.1 != tellers.paused else { return }
    act(.staff(tellers.counts))
    showWhetherOpen()
    if hasLoggedReady, !isDraining { act(.log(.notice, "serves from now on: \(staffText)")) }
    for department in tellers.departments {
      giveTellersBack(in: department)
      serveWaiting(in: department, at: now)
    }
    act(.due(.presence))
  }

  /// Not where a welcome came in the middle of the steps: it has made the consumers due again.
  mutating func logReady() {
    guard !hasLoggedReady, !isDraining else { return }
    hasLoggedReady = true
    act(.ready)
    act(.log(.info, "ready: \(staffText)"))
  }

  private var staffText: String {
    let paused = Set(tellers.paused)
    return tellers.counts.sorted { $0.key < $1.key }
      .map { "\($0.key)=\($0.value)\(paused.contains($0.key) ? " (paused)" : "")" }
      .joined(separator: " ")
  }
}

// Queues that the broker refuses: they are left out, and all others are served.
extension WorkerState {
  /// Notes a refusal of a queue. The refusal ends the connection; on the next one the queue is left out.
  mutating func noteRefusal(of queue: JobQueue, _ error: AMQPError, at now: Instant) {
    let answer = refused.note(error, about: queue, ofDepartments: tellers.departments.count, at: now - beganAt)
    guard case .leaveOut(let reason, let isNews) = answer else { return }
    tellers.setRefused(queue, true)
    act(.ready)
    guard isNews else { return }
    var metadata = queue.metadata
    metadata["reason"] = "\(reason)"
    act(
      .log(
        .error,
        """
        the broker refuses the queue of a \(queue.sort), which this worker leaves out; it serves the others, and tries \
        again
        """, metadata))
  }

  mutating func accepted(_ queue: JobQueue, at now: Instant) {
    guard refused.accept(queue, at: now - beganAt) else { return }
    tellers.setRefused(queue, false)
    act(.log(.notice, "the broker lets the queue of a \(queue.sort) be consumed again", queue.metadata))
    act(.due(.staffing))
  }

  /// The refused queues to look at now, each on a connection of its own, which a refusal ends.
  package func refusedQueuesDue(at now: Instant) -> [JobQueue] {
    refused.due(at: now - beganAt, serving: tellers.beside)
  }
}

extension JobQueue {
  /// What the queue is of, for a sentence.
  fileprivate var sort: String { kind == nil ? "department" : "kind" }

  fileprivate var metadata: Logger.Metadata {
    var metadata: Logger.Metadata = ["department": "\(department)"]
    if let kind { metadata["kind"] = "\(kind)" }
    return metadata
  }
}
