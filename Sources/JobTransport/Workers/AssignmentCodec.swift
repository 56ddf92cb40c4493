package import AMQP
package import JobModel

/// Assignments as messages of `teller.jobs`: the payload is the body, untouched.
package enum AssignmentCodec {
  /// The message of a release.
  package static func encode(_ assignment: Assignment) -> Publishing {
    var properties = MessageProperties(
      contentType: assignment.content.contentType, priority: UInt8(assignment.priority.level),
      messageID: assignment.job.description, type: assignment.kind.name)
    if let timeout = assignment.timeout { properties.headers[Header.timeout] = .int(timeout.milliseconds) }
    assignment.step?.write(to: &properties)
    if assignment.mustClaim { properties.headers[Header.claim] = true }
    ContentHeaders.writeOwn(assignment.content, to: &properties)
    AssignmentWords(assignment).write(to: &properties)
    return Publishing(
      exchange: Topology.Exchange.jobs, routingKey: Topology.RoutingKey.assignments(to: assignment.queue),
      properties: properties, body: assignment.content.payload)
  }

  /// The assignment of a delivery. The broker's flag of a redelivery is not part of it.
  ///
  /// - Throws: `Unreadable` for a message that no coordinator of this version has published.
  package static func decode(_ delivery: Delivery) throws(Unreadable) -> Assignment {
    let properties = delivery.properties
    let job = try Envelope.job(properties)
    let words = try AssignmentWords(properties)
    guard let kind = properties.type.flatMap({ JobKind($0) }) else { throw Unreadable("type is not a kind") }
    guard let priority = Priority(Int(properties.priority ?? 0)) else { throw Unreadable("priority is above 9") }
    guard let queue = Topology.RoutingKey.queue(ofAssignments: delivery.routingKey) else {
      throw Unreadable("its routing key \(Excerpt.quoted(delivery.routingKey)) is not a department, or one and a kind")
    }
    let content = JobContent(
      payload: try Envelope.bytes(of: delivery.body), contentType: properties.contentType,
      trace: TraceContext(traceparent: words.traceparent, tracestate: properties.headers[Header.tracestate]?.string),
      headers: ContentHeaders.own(properties))
    return try Envelope.reading(properties) { headers throws(HeaderProblem) in
      Assignment(
        release: ReleaseID(job: job, number: words.release), token: words.token, ledger: words.ledger,
        epoch: words.epoch, kind: kind, department: queue.department, isBeside: queue.kind != nil,
        priority: priority, attempt: words.attempt, maxAttempts: words.maxAttempts, step: try StepInfo(of: headers),
        mustClaim: headers.isSet(Header.claim), releasedAt: words.releasedAt,
        timeout: try headers.milliseconds(Header.timeout, in: Submission.timeoutLimits), content: content,
        acceptedAt: words.acceptedAt)
    }
  }

  /// The rest of an assignment that cannot be read: enough to claim it, and to report that it failed. It must be claimed,
  /// and has no payload. `department`: that of its queue.
  ///
  /// - Returns: nil when even its release, token or ledger cannot be read.
  package static func remains(of delivery: Delivery, in department: Department) -> Assignment? {
    let properties = delivery.properties
    guard let job = try? Envelope.job(properties),
      let words = try? AssignmentWords(properties)
    else { return nil }
    return Assignment(
      release: ReleaseID(job: job, number: words.release), token: words.token, ledger: words.ledger, epoch: 0,
      kind: properties.type.flatMap { JobKind($0) } ?? "unreadable", department: department, priority: .normal,
      attempt: 1, maxAttempts: 1, mustClaim: true, timeout: nil, content: JobContent())
  }
}

/// The place of a job in a plan. Few jobs have one: so it is written as headers.
extension StepInfo {
  fileprivate func write(to properties: inout MessageProperties) {
    properties.headers[Header.plan] = .string(plan.description)
    properties.headers[Header.step] = .string(name)
    properties.headers[Header.round] = .int(Int64(round))
  }

  /// Nil: the job is of no plan.
  fileprivate init?(of headers: HeaderReader) throws(HeaderProblem) {
    let plan = try headers.value(Header.plan, expected: "a UUID") { JobID($0) }
    guard let plan, let name = headers.table[Header.step]?.string else { return nil }
    self.init(plan: plan, name: name, round: try headers.number(Header.round, in: 0...Int(Int32.max)) ?? 1)
  }
}

extension AssignmentWords {
  init(_ assignment: Assignment) {
    self.init(
      ledger: assignment.ledger, epoch: assignment.epoch, release: assignment.release.number, token: assignment.token,
      attempt: assignment.attempt, maxAttempts: assignment.maxAttempts, releasedAt: assignment.releasedAt,
      acceptedAt: assignment.acceptedAt, traceparent: assignment.content.trace.traceparent)
  }
}
