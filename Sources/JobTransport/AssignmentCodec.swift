package import AMQP
package import JobModel

/// Assignments as messages of `teller.jobs`: the payload is the body, untouched.
package enum AssignmentCodec {
  /// The message of a release.
  package static func encode(_ assignment: Assignment) -> Publishing {
    var properties = MessageProperties(
      contentType: assignment.contentType, priority: UInt8(assignment.priority.level),
      messageID: assignment.job.description, type: assignment.kind.name)
    properties.headers = [
      Header.department: .string(assignment.department.name),
      Header.release: .int(Int64(assignment.release.number)),
      Header.token: .int(Int64(assignment.token)),
      Header.ledger: .string(assignment.ledger.text),
      Header.attempt: .int(Int64(assignment.attempt)),
      Header.attempts: .int(Int64(assignment.maxAttempts)),
      Header.epoch: .int(Int64(assignment.epoch)),
    ]
    properties.headers[Header.timeout] = assignment.timeout.map { .int($0.milliseconds) }
    if assignment.mustClaim { properties.headers[Header.claim] = true }
    TraceHeaders.write(assignment.trace, to: &properties)
    return Publishing(
      exchange: Topology.Exchange.jobs, routingKey: Topology.RoutingKey.assignments(of: assignment.department),
      properties: properties, body: assignment.payload)
  }

  /// The assignment of a delivery. Whether the broker says that it was redelivered is not part of it.
  ///
  /// - Throws: `Unreadable` for a message that no coordinator of this version has published.
  package static func decode(_ delivery: Delivery) throws(Unreadable) -> Assignment {
    let properties = delivery.properties
    let headers = HeaderReader(properties)
    let release = try Envelope.release(properties)
    guard let kind = properties.type.flatMap({ JobKind($0) }) else { throw Unreadable("type is not a kind") }
    guard let priority = Priority(Int(properties.priority ?? 0)) else { throw Unreadable("priority is above 9") }
    let payload = try Envelope.bytes(delivery)
    return try Envelope.reading { () throws(HeaderProblem) in
      Assignment(
        release: release, token: try headers.requiredCount(Header.token), ledger: try Envelope.ledger(headers),
        // A coordinator that knows no epochs has sent none, neither here nor in its welcome: the two are equal then,
        // and differ, so that the assignment is claimed, when its queue outlived an update of the coordinator.
        epoch: try headers.number(Header.epoch, in: 0...Int.max) ?? 0, kind: kind,
        department: try Envelope.department(headers), priority: priority,
        attempt: try headers.requiredCount(Header.attempt), maxAttempts: try headers.requiredCount(Header.attempts),
        mustClaim: headers.isSet(Header.claim),
        timeout: try headers.milliseconds(Header.timeout, in: Submission.timeoutLimits), payload: payload,
        contentType: properties.contentType,
        trace: TraceHeaders.read(properties))
    }
  }

  /// What is left of an assignment that cannot be read: enough to claim it, and to report that it failed. It must be
  /// claimed, and has no payload.
  ///
  /// - Parameters:
  ///   - delivery: what ``decode(_:)`` could not read.
  ///   - department: of whose queue it came.
  /// - Returns: nil where not even its release, token and ledger can be read.
  package static func remains(of delivery: Delivery, in department: Department) -> Assignment? {
    let properties = delivery.properties
    let headers = HeaderReader(properties)
    guard let release = try? Envelope.release(properties), let token = try? headers.requiredCount(Header.token),
      let ledger = try? Envelope.ledger(headers)
    else { return nil }
    return Assignment(
      release: release, token: token, ledger: ledger, epoch: 0,
      kind: properties.type.flatMap { JobKind($0) } ?? "unreadable", department: department, priority: .normal,
      attempt: 1, maxAttempts: 1, mustClaim: true, timeout: nil, payload: [], contentType: nil,
      trace: TraceContext())
  }
}
