import AMQP
import AuditSupport
import Foundation
import JobModel
import JobTransport

// What operators do, and what everybody is told.
extension ClientNode {
  /// Gives a command, and again until it is answered: it is carried out once. `about`: jobs that may be cancelled by it.
  /// `id`: that of a command which was given before, and comes again.
  func command(_ request: AdminRequest, about jobs: [JobID] = [], id: UUID? = nil) {
    lastCommand += 1
    let tag = "command \(lastCommand)"
    commands[tag] = Command(
      request: request, id: id ?? world.newID().uuid, since: world.moment,
      cancelling: jobs.map { world.record.invoke(.cancel, $0, at: world.moment) })
    world.trace.say(world.now, name, "commands \(request)")
    send(tag)
  }

  func send(_ tag: String) {
    guard isReady, let publishing, let command = commands[tag] else { return }
    lastNumber += 1
    let message = AdminCodec.encode(
      command.request, address: AnswerAddress(replyTo: replyTo, correlationID: tag), expiration: .seconds(10),
      command: command.id, by: OperatorName(name))
    world.send(.publish(message, number: lastNumber), on: publishing)
  }

  func answered(_ tag: String, _ delivery: Delivery) {
    guard let command = commands[tag] else { return }
    let isDone = delivery.properties.type == "ok"
    let isNotAllowed = !isDone && isForbidden(delivery)
    checkRight(to: command, isDone: isDone, isNotAllowed: isNotAllowed)
    // What everything needs to come to its end is ordered again, until its user may order it.
    if isNotAllowed, world.isHealed { return }
    commands[tag] = nil
    world.trace.say(world.now, name, "\(tag) is answered \(delivery.properties.type ?? "")")
    if isDone { world.sometimes.note(command.request) }
    if isDone, case .drainWorker(let order) = command.request { world.drained.insert(order.worker) }
    for operation in command.cancelling {
      world.record.end(operation, isDone ? .ok(nil) : .failed("refused"), at: world.moment)
    }
  }

  /// Whether a command is refused because of who has given it.
  private func isForbidden(_ delivery: Delivery) -> Bool {
    (try? AnswerCodec.failure(of: delivery))?.code == JobFailure.Code.notAllowed
  }

  private func checkRight(to command: Command, isDone: Bool, isNotAllowed: Bool) {
    let right = RightNeeded(user: user, act: .command, since: command.since)
    world.sometimes.note(.rightLost, if: isNotAllowed)
    if isDone { world.checkTaken(right, "\(command.request)") }
    if isNotAllowed { world.checkRefused(right, "\(command.request)") }
  }

  // MARK: The stream

  func follow(_ delivery: Delivery) {
    guard case .recorded(let batch, let place) = NotificationCodec.decode(delivery) else { return }
    offset = Int(place ?? 0) + 1
    world.see(batch)
    for notification in batch.notifications {
      guard let seq = notification.seq else { continue }
      seen[batch.epoch, default: []].insert(seq)
      guard let job = notification.job, ["succeeded", "failed", "cancelled"].contains(notification.event) else {
        continue
      }
      announced[job, default: []].insert(NotificationPosition(epoch: batch.epoch, seq: seq))
    }
  }
}

extension Sometimes {
  fileprivate mutating func note(_ request: AdminRequest) {
    switch request {
    case .reset: note(.operation)
    case .cancel(let selection), .replay(let selection), .drop(let selection):
      note(.operation, if: selection.jobs == nil)
    case .resetKeys: note(.keyReset)
    default: break
    }
  }
}
