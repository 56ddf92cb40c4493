import AMQP
import JobModel
import JobTransport

// Questions that are asked once.
extension ClientNode {
  /// A question, and what became of it.
  struct Question {
    let request: Request
    /// The coordinator's session in which it was asked.
    let session: Int
    var answers = 0
    let hear: (Delivery) -> Void
  }

  /// Asks once, and hears the answer. It may be lost with a connection.
  ///
  /// - Returns: False: there is no connection now.
  @discardableResult
  func ask(_ request: Request, then hear: @escaping (Delivery) -> Void = { _ in }) -> Bool {
    guard isReady, let publishing else { return false }
    let tag = "question \(questions.count + 1)"
    questions[tag] = Question(request: request, session: world.coordinators[0].session, hear: hear)
    let message = RequestCodec.encode(
      request, address: AnswerAddress(replyTo: replyTo, correlationID: tag), expiration: .seconds(30))
    world.trace.say(world.now, name, "asks \(request) as \(tag)")
    world.send(.publish(message, number: nil), on: publishing)
    return true
  }

  /// While one session goes on, no request comes again, and so none is answered twice.
  func heard(_ tag: String, _ delivery: Delivery) {
    guard var question = questions[tag] else { return }
    question.answers += 1
    questions[tag] = question
    world.trace.say(world.now, name, "\(tag) is answered \(delivery.properties.type ?? "")")
    if question.answers == 1 { return question.hear(delivery) }
    if world.coordinators.count == 1, question.session == world.coordinators[0].session {
      world.failures.append("\(name) is answered \(question.answers) times to \(question.request)")
    }
  }
}
