package import AMQP
package import JobModel

/// What a coordinator answers to a question or a command.
package protocol Answer: Hashable, Sendable {
  /// Writes the body, and the properties that say what it is.
  func write(to message: inout TransientPublishing)
  /// Reads an answer that is no error.
  init(answer: Delivery) throws(Unreadable)
}

/// An answer that is a JSON document. It has texts and whole numbers only.
package protocol AnswerDocument: Answer, Codable {
  /// Leaves a part to be asked for again, because the document has too many bytes for one answer.
  ///
  /// - Returns: whether there was something to leave.
  mutating func shorten() -> Bool
}

extension AnswerDocument {
  /// Most documents fit into one answer.
  package mutating func shorten() -> Bool { false }

  /// Writes the document, shortened until it fits.
  package func write(to message: inout TransientPublishing) {
    var document = self
    message.properties.contentType = WireJSON.contentType
    message.body = WireJSON.encodePlain(document)
    while message.body.count > AnswerCodec.bodyLimit, document.shorten() {
      message.body = WireJSON.encodePlain(document)
    }
  }

  package init(answer: Delivery) throws(Unreadable) {
    self = try WireJSON.decode(Self.self, from: answer.body)
  }
}

extension TellerStatus: AnswerDocument {}
extension JobRecord: AnswerDocument {}
extension JobCount: AnswerDocument {}
extension FailureCounts: AnswerDocument {}
extension JobExplanation: AnswerDocument {}
extension JobReport: AnswerDocument {}
extension JobOperation: AnswerDocument {}
extension JobChanges: AnswerDocument {}
extension DepartmentPause: AnswerDocument {}
extension DepartmentResize: AnswerDocument {}
extension JobPlace: AnswerDocument {}
extension FreedKey: AnswerDocument {}
extension KeyStatus: AnswerDocument {}
extension WorkerDrain: AnswerDocument {}
extension PlanStop: AnswerDocument {}
extension OperatorAction: AnswerDocument {}

extension PlanDetails: AnswerDocument {
  /// Leaves out the last half of the jobs.
  package mutating func shorten() -> Bool {
    let before = steps.count
    guard steps.leaveLastHalf() else { return false }
    omittedSteps = (omittedSteps ?? 0) + before - steps.count
    return true
  }
}

extension EventStatus: AnswerDocument {}

extension Board: AnswerDocument {
  /// Leaves out the last half of the rows of each department.
  package mutating func shorten() -> Bool {
    var isShorter = false
    for index in departments.indices {
      if departments[index].waiting.leaveLastHalf() { isShorter = true }
      if departments[index].running.leaveLastHalf() { isShorter = true }
    }
    return isShorter
  }
}

extension JobPage: AnswerDocument {
  /// Leaves the last half to the next page.
  package mutating func shorten() -> Bool {
    guard jobs.count > 1 else { return false }
    jobs.removeLast(jobs.count / 2)
    next = jobs.last?.number
    return true
  }
}

// Each of these pages leaves its last half to the next page.

extension WorkerPage: AnswerDocument {
  package mutating func shorten() -> Bool {
    guard workers.leaveLastHalf() else { return false }
    next = workers.last?.id
    return true
  }
}

extension SchedulePage: AnswerDocument {
  package mutating func shorten() -> Bool {
    guard schedules.leaveLastHalf() else { return false }
    next = schedules.last?.name
    return true
  }
}

extension KeyPage: AnswerDocument {
  package mutating func shorten() -> Bool {
    guard keys.leaveLastHalf() else { return false }
    next = keys.last?.position
    return true
  }
}

extension ActionPage: AnswerDocument {
  package mutating func shorten() -> Bool {
    guard actions.leaveLastHalf() else { return false }
    next = actions.last?.number
    return true
  }
}

extension PlanPage: AnswerDocument {
  package mutating func shorten() -> Bool {
    guard plans.leaveLastHalf() else { return false }
    next = plans.last?.number
    return true
  }
}

extension EventPage: AnswerDocument {
  package mutating func shorten() -> Bool {
    guard events.leaveLastHalf() else { return false }
    next = events.last?.number
    return true
  }
}

extension Array {
  /// - Returns: Whether there was something to leave: one element stays at least.
  mutating func leaveLastHalf() -> Bool {
    guard count > 1 else { return false }
    removeLast(count / 2)
    return true
  }
}

/// The payload is the body, untouched, as in an assignment: in JSON the largest one would not fit into a message. Its
/// submission fitted into one, and so does the answer.
extension JobContent: Answer {
  package func write(to message: inout TransientPublishing) {
    message.properties.contentType = contentType
    ContentHeaders.write(self, to: &message.properties)
    message.body = payload
  }

  package init(answer: Delivery) throws(Unreadable) {
    self.init(
      payload: try Envelope.bytes(of: answer.body), contentType: answer.properties.contentType,
      trace: ContentHeaders.trace(answer.properties), headers: ContentHeaders.own(answer.properties))
  }
}
