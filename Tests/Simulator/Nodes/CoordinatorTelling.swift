import AMQP
import AuditSupport
import Bookkeeping
import Coordinator
import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger

// What goes out.
extension CoordinatorNode {
  func transient(_ message: TransientPublishing) {
    if let publishing { world.send(.publish(Publishing(message), number: nil), on: publishing) }
  }

  func send(
    _ message: Publishing, on line: World.Line, _ answer: @escaping (PublishResult) throws -> Void
  ) {
    lastNumber += 1
    awaited[lastNumber] = answer
    world.send(.publish(message, number: lastNumber), on: line)
  }

  /// Looks at everything that a turn may have caused.
  func follow() {
    guard phase == .serving else { return }
    soon(.tell) { [self] in try await tell() }
    soon(.acceptances, within: 5_000) { [self] in
      signals.outbox.releaseAcceptances()
      soon(.tell) { [self] in try await tell() }
    }
    if !isNotifying { soon(.notify, within: 10_000) { [self] in try notify() } }
    if (try? withBooks({ $0.hasChores(butUnpublished: false) })) == true { soon(.chores) { [self] in try doChores() } }
  }

  func doChores() throws {
    if let second, !second.isAllSafe {
      return try whenSafe { [self] in soon(.chores) { [self] in try doChores() } }
    }
    if try withBooks({ try $0.doChores() }) { soon(.chores) { [self] in try doChores() } }
    follow()
  }

  func tell() async throws {
    guard underWay < 2_048 else { return }
    let batch = signals.outbox.takePresent()
    note(batch)
    if batch.count < Outbox.batchLimit { toldAllAt = world.moment }
    if batch.isEmpty { return }
    try second?.check(batch, of: self)
    checkQueues(of: batch)
    guard let publishing else { return }
    let session = session
    for item in batch {
      switch item {
      case .makeQueue(let queue):
        declare([queue], on: publishing)
      case .removeQueue(let queue):
        closing[Topology.Queue.assignments(queue)] = queue
        try await checkRemoval(of: queue)
        guard session == self.session else { return }
      case .polled(let poll):
        let document = try await books.document(of: poll)
        guard session == self.session else { return }
        let answer = AnswerCodec.encode(document, to: poll.address)
        try whenSafe { [self] in transient(answer) }
      case .keyPolled(let poll):
        let document = try await books.keyStatus(poll.key)
        guard session == self.session else { return }
        let answer = AnswerCodec.encode(document, to: poll.address)
        try whenSafe { [self] in transient(answer) }
      default: break
      }
    }
    for item in batch { if case .assignment(let assignment) = item { release(assignment, on: publishing) } }
    for item in batch {
      if case .fence(let number) = item {
        send(ReportCodec.encode(fence: number, ledger: try books.ledger.id), on: publishing) { [self] result in
          if result != .confirmed { try endSession("the broker refused a fence") }
        }
      }
    }
    for message in batch.filter({ !$0.isAssignment && !isLost($0) }).messages { transient(message) }
    for item in batch {
      if case .removeQueue(let queue) = item {
        world.send(.delete(queue: Topology.Queue.assignments(queue)), on: publishing)
      }
    }
    try withBooks { try $0.fillOn() }
    follow()
  }

  /// Nothing is released to a queue that is being removed.
  func checkQueues(of batch: [Outgoing]) {
    for case .assignment(let assignment) in batch where closing[Topology.Queue.assignments(assignment.queue)] != nil {
      world.failures.append("\(name) releases \(assignment.release) to a queue that it has told the broker to remove")
    }
  }

  /// What is told without a confirm may be lost.
  private func isLost(_ item: Outgoing) -> Bool {
    guard losesDrainOrder, case .staffing(_, let staffing) = item, staffing.isToDrain else { return false }
    losesDrainOrder = false
    return true
  }

  func release(_ assignment: Assignment, on line: World.Line) {
    underWay += 1
    let release = assignment.release
    send(AssignmentCodec.encode(assignment), on: line) { [self] result in
      underWay -= 1
      switch result {
      case .confirmed: try books.confirmed([release])
      case .nacked:
        world.sometimes.note(.notTaken)
        try withBooks { $0.notTaken([release]) }
      case .refused(_, let text): try withBooks { try $0.end([RefusedRelease(release: release, reason: text)]) }
      case .returned:
        world.sometimes.note(.returnedPublishing)
        return try endSession("no queue takes assignments")
      }
      follow()
    }
  }

  func notify() throws {
    guard !isNotifying, !isStreamUnknown, let publishing,
      let batch = try withBooks({ try $0.nextNotifications(atMost: 500) })
    else { return }
    isNotifying = true
    for notification in batch.notifications { note(notification) }
    try second?.check(batch, of: self)
    send(NotificationCodec.encode(batch), on: publishing) { [self] result in
      guard result == .confirmed else { return try endSession("the stream refused a message") }
      isNotifying = false
      try withBooks { $0.sent(batch) }
      soon(.notify, within: 10_000) { [self] in try notify() }
    }
  }
}

extension Outgoing {
  fileprivate var isAssignment: Bool { if case .assignment = self { true } else { false } }
}
