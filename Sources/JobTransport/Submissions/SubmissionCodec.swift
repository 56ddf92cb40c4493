package import AMQP
package import JobModel

/// Submissions as messages of `teller.submit`: AMQP's own properties are the envelope, the body is the payload.
package enum SubmissionCodec {
  /// The message of one job.
  package static func encode(_ submission: Submission) -> Publishing {
    var properties = envelope(
      id: submission.id, submittedAt: submission.submittedAt, reply: submission.reply, content: submission.content)
    properties.type = submission.kind.name
    properties.priority = UInt8(submission.priority.level)
    properties.contentType = submission.content.contentType
    properties.headers[Header.department] = submission.department.map { .string($0.name) }
    properties.headers[Header.attempts] = submission.maxAttempts.map { .int(Int64($0)) }
    properties.headers[Header.rank] = submission.rank.map { .int(Int64($0)) }
    HoldHeaders.write(submission, to: &properties)
    return publishing(properties, body: submission.content.payload)
  }

  /// The message of a plan.
  ///
  /// - Throws: `bad_plan` when the coordinator would reject it.
  package static func encode(_ plan: PlanSubmission) throws(JobFailure) -> Publishing {
    if let problem = plan.definition.problem { throw .badPlan(problem) }
    for step in plan.definition.steps {
      guard let payload = step.payload, let problem = EmbeddedJSON.flaw(of: payload, within: EmbeddedJSON.inStep)
      else { continue }
      throw .badPayload(of: step, problem)
    }
    var properties = envelope(
      id: plan.id, submittedAt: plan.submittedAt, reply: plan.reply,
      content: JobContent(trace: plan.trace, headers: plan.headers))
    properties.contentType = PlanSubmission.contentType
    return publishing(properties, body: PlanWriter.write(plan.definition))
  }

  /// The message that starts a plan of the coordinator's configuration.
  ///
  /// - Throws: `bad_plan` when the payload is not one JSON value.
  package static func encode(_ start: PlanStart) throws(JobFailure) -> Publishing {
    if let problem = start.payload.flatMap(EmbeddedJSON.flaw(of:)) { throw .badPayload(of: start, problem) }
    var properties = envelope(
      id: start.id, submittedAt: start.submittedAt, reply: start.reply,
      content: JobContent(trace: start.trace, headers: start.headers))
    properties.contentType = PlanSubmission.contentType
    return publishing(properties, body: PlanWriter.write(start: start.plan, payload: start.payload))
  }

  /// The message of an event.
  ///
  /// - Throws: `bad_event` when the payload is not one JSON value.
  package static func encode(_ event: EventSubmission) throws(JobFailure) -> Publishing {
    var properties = envelope(
      id: event.id, submittedAt: event.submittedAt, reply: event.reply, content: event.content)
    properties.contentType = EventSubmission.contentType
    let payload = event.content.payload.isEmpty ? nil : event.content.payload
    if let problem = payload.flatMap(EmbeddedJSON.flaw(of:)) { throw .badPayload(of: event, problem) }
    return publishing(properties, body: EventBody.event(event.name, plan: event.plan, payload: payload).bytes)
  }

  /// The message that accepts or dismisses an announced event.
  package static func encode(_ choice: EventChoice, id: JobID) -> Publishing {
    var properties = envelope(id: id, submittedAt: nil, reply: choice.reply, content: JobContent())
    properties.contentType = EventSubmission.contentType
    return publishing(properties, body: EventBody.choice(choice.action, choice.event).bytes)
  }

  /// The default limit of a connection for bodies, in bytes.
  package static let defaultBodyLimit = 1 << 20

  /// Whether a message is read as a plan.
  package static func isPlan(_ delivery: Delivery) -> Bool { isPlan(delivery.properties) }

  static func isPlan(_ properties: MessageProperties) -> Bool {
    properties.hasContentType(PlanSubmission.contentType)
  }

  static func isEvent(_ properties: MessageProperties) -> Bool {
    properties.hasContentType(EventSubmission.contentType)
  }

  /// The submissions of a pack; nil: the message is a submission itself.
  package static func unpack(_ delivery: Delivery) -> UnpackedSubmissions? {
    guard delivery.properties.hasContentType(SubmissionPacks.contentType), delivery.properties.problems.isEmpty,
      case .bytes(let body) = delivery.body
    else { return nil }
    var reader = SubmissionPackReader(delivery, body)
    return reader.read()
  }

  /// Reads a message of `teller.submissions`. Never fails: a message that cannot be understood is a rejection.
  /// `bodyLimit`: the connection's limit for bodies, for the message of `body_too_large`. `now`: by the coordinator's
  /// clock; a moment too far ahead of it is refused.
  package static func decode(
    _ delivery: Delivery, bodyLimit: Int = defaultBodyLimit, now: Timestamp
  ) -> IncomingSubmission {
    SubmissionDecoder(delivery, bodyLimit: bodyLimit, now: now).decode()
  }

  private static func envelope(
    id: JobID, submittedAt: Timestamp?, reply: ReplyAddress?, content: JobContent
  ) -> MessageProperties {
    var properties = MessageProperties(messageID: id.description)
    if let submittedAt, submittedAt.milliseconds >= 0 {
      properties.timestamp = UInt64(submittedAt.milliseconds / 1000)
      properties.headers[Header.submitted] = .int(submittedAt.milliseconds)
    }
    if let reply {
      properties.replyTo = reply.replyTo
      properties.correlationID = reply.correlationID
      if reply.wait == .accepted { properties.headers[Header.wait] = .string(reply.wait.rawValue) }
    }
    ContentHeaders.write(content, to: &properties)
    return properties
  }

  static func publishing(_ properties: MessageProperties, body: [UInt8]) -> Publishing {
    Publishing(
      exchange: Topology.Exchange.submit, routingKey: Topology.RoutingKey.submit, properties: properties, body: body)
  }
}
