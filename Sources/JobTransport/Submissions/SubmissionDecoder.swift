import AMQP
import JobModel

/// Reads one message of `teller.submissions`.
struct SubmissionDecoder {
  private let properties: MessageProperties
  private let body: Delivery.Body
  private let bodyLimit: Int
  private let headers: HeaderReader
  private let now: Timestamp

  /// The headers that this version reads. Every other header that begins with `teller-` is refused: if it were ignored in
  /// silence, such as a misspelt delay, the job would run in another way than its submitter asked for.
  private static let understood = Set(HoldHeaders.names).union([
    Header.department, Header.attempts, Header.rank, Header.wait, Header.submitted,
  ]).union(Header.ofParking)
  /// The headers that only a single job can have, and no plan and no event.
  private static let jobsOnly = [Header.attempts, Header.rank] + HoldHeaders.names

  init(_ delivery: Delivery, bodyLimit: Int, now: Timestamp) {
    properties = delivery.properties
    body = delivery.body
    self.bodyLimit = bodyLimit
    self.now = now
    headers = HeaderReader(delivery.properties)
  }

  func decode() -> IncomingSubmission {
    do throws(JobFailure) {
      let payload = try readBody()
      try refuseUnknownHeaders()
      let id = try readID()
      if SubmissionCodec.isPlan(properties) { return try readPlan(id: id, payload) }
      if SubmissionCodec.isEvent(properties) { return try readEvent(id: id, payload) }
      return .job(try readJob(id: id, payload))
    } catch {
      return .rejected(Rejection(error, of: properties))
    }
  }

  private func readJob(id: JobID, _ payload: [UInt8]) throws(JobFailure) -> Submission {
    let holds = HoldHeaders(headers, of: id, now: now)
    return Submission(
      id: id, kind: try readKind(), department: try readDepartment(), priority: try readPriority(), payload: payload,
      contentType: properties.contentType, submittedAt: try readSubmittedAt(),
      maxAttempts: try readNumber(Header.attempts, in: Submission.attemptLimits, orFail: JobFailure.Code.badAttempts),
      rank: try readNumber(Header.rank, in: Submission.rankLimits, orFail: JobFailure.Code.badRank),
      runAt: try holds.runAt(), startBy: try holds.startBy(), timeout: try holds.timeout(), after: try holds.after(),
      key: try holds.key(), reply: try readReply(), trace: ContentHeaders.trace(properties),
      headers: try readOwnHeaders())
  }

  private func readPlan(id: JobID, _ body: [UInt8]) throws(JobFailure) -> IncomingSubmission {
    try refuseHeadersOfJobs(of: "a plan")
    let (submittedAt, reply, headers) = (try readSubmittedAt(), try readReply(), try readOwnHeaders())
    let trace = ContentHeaders.trace(properties)
    switch try PlanReader.read(body) {
    case .start(let name, let payload):
      if try readDepartment() != nil { throw .badPlan("the plan has a department: leave out \(Header.department)") }
      return .start(
        PlanStart(
          id: id, plan: name, payload: payload, submittedAt: submittedAt, reply: reply, trace: trace, headers: headers))
    case .plan(let plan):
      if let named = try readDepartment(), named != plan.department {
        throw .badPlan("its department is \(plan.department), but header \(Header.department) says \(named)")
      }
      return .plan(
        PlanSubmission(
          id: id, definition: plan, submittedAt: submittedAt, reply: reply, trace: trace, headers: headers))
    }
  }

  private func readEvent(id: JobID, _ body: [UInt8]) throws(JobFailure) -> IncomingSubmission {
    try refuseHeadersOfJobs(of: "an event")
    if try readDepartment() != nil { throw .badEvent("its plan has a department: leave out \(Header.department)") }
    let reply = try readReply()
    switch try EventBody.read(body) {
    case .choice(let action, let event): return .choice(EventChoice(action, event, reply: reply))
    case .event(let name, let plan, let payload):
      let content = JobContent(
        payload: payload ?? [], contentType: WireJSON.contentType, trace: ContentHeaders.trace(properties),
        headers: try readOwnHeaders())
      return .event(
        EventSubmission(
          id: id, name: name, plan: plan, content: content, submittedAt: try readSubmittedAt(), reply: reply))
    }
  }

  private func refuseHeadersOfJobs(of whole: String) throws(JobFailure) {
    for name in SubmissionDecoder.jobsOnly where headers.has(name) {
      throw .notSupported(header: name, reason: "the message of \(whole) has none of the headers of a single job")
    }
  }
}

extension MessageProperties {
  /// Whether the content type is this one, in any case and with any parameters.
  func hasContentType(_ expected: String) -> Bool {
    guard let contentType, contentType.utf8.count >= expected.utf8.count else { return false }
    let bare = contentType.prefix { $0 != ";" && !$0.isWhitespace }
    return bare.lowercased() == expected
  }
}

extension SubmissionDecoder {
  private func readBody() throws(JobFailure) -> [UInt8] {
    if !properties.problems.isEmpty { throw .badHeaders(properties.problems.map(\.description)) }
    switch body {
    case .bytes(let bytes): return bytes
    case .overLimit(let size): throw .bodyTooLarge(size: size, limit: bodyLimit)
    }
  }

  private func refuseUnknownHeaders() throws(JobFailure) {
    let unknown = headers.table.keys.filter { name in
      name.hasPrefix(Header.prefix) && !SubmissionDecoder.understood.contains(name) && headers.has(name)
    }
    // The first by name: so the same message is always refused in the same words.
    guard let name = unknown.min() else { return }
    throw .notSupported(header: name, reason: "this version of Teller does not know it; leave it out")
  }

  private func readOwnHeaders() throws(JobFailure) -> [String: String] {
    let own = ContentHeaders.own(properties)
    if let problem = SubmittedHeaders.problem(of: own) { throw .badHeaders([problem]) }
    return own
  }

  private func readID() throws(JobFailure) -> JobID {
    guard let text = properties.messageID, !text.isEmpty else { throw .missingID() }
    guard let id = JobID(text) else { throw .badID(text) }
    return id
  }

  private func readKind() throws(JobFailure) -> JobKind {
    guard let text = properties.type, !text.isEmpty else { throw .missingKind() }
    guard let kind = JobKind(text) else { throw .badKind(text) }
    return kind
  }

  private func readDepartment() throws(JobFailure) -> Department? {
    try headers.read(orFail: JobFailure.Code.badDepartment) { headers throws(HeaderProblem) in
      try headers.value(Header.department, expected: "1–100 letters, digits, - and _") { Department($0) }
    }
  }

  private func readPriority() throws(JobFailure) -> Priority {
    guard let octet = properties.priority else { return .normal }
    guard let priority = Priority(Int(octet)) else { throw .badPriority(octet) }
    return priority
  }

  private func readNumber(
    _ name: String, in limits: ClosedRange<Int>, orFail code: String
  ) throws(JobFailure) -> Int? {
    try headers.read(orFail: code) { headers throws(HeaderProblem) in try headers.number(name, in: limits) }
  }

  private func readSubmittedAt() throws(JobFailure) -> Timestamp? {
    do throws(HeaderProblem) {
      if let exact = try headers.number(Header.submitted, in: 0...Int(HeaderReader.latestTime.milliseconds)) {
        return Timestamp(milliseconds: Int64(exact))
      }
    } catch {
      throw .badHeaders([error.description])
    }
    // A property for people: a value that is no time, such as milliseconds in place of seconds, is left out.
    guard let seconds = properties.timestamp, seconds <= UInt64(HeaderReader.latestTime.milliseconds / 1000) else {
      return nil
    }
    return Timestamp(milliseconds: Int64(seconds) * 1000)
  }
}

extension SubmissionDecoder {
  private func readReply() throws(JobFailure) -> ReplyAddress? {
    let wait = try readWait()
    guard let replyTo = properties.replyTo, !replyTo.isEmpty else { return nil }
    guard ReplyAddress.isAllowed(replyTo) else { throw .badReplyTo(replyTo) }
    return ReplyAddress(replyTo: replyTo, correlationID: properties.correlationID, wait: wait)
  }

  private func readWait() throws(JobFailure) -> ReplyAddress.Wait {
    try headers.read(orFail: JobFailure.Code.badWait) { headers throws(HeaderProblem) in
      try headers.value(Header.wait, expected: "accepted or outcome") { ReplyAddress.Wait(rawValue: $0) } ?? .outcome
    }
  }
}

extension Rejection {
  /// A rejection with the reply address of the message, if that is allowed. No other part of the message need be right.
  init(_ failure: JobFailure, of properties: MessageProperties) {
    let address = properties.replyTo.flatMap { ReplyAddress.isAllowed($0) ? $0 : nil }
    self.init(
      failure,
      reply: address.map { ReplyAddress(replyTo: $0, correlationID: properties.correlationID, wait: .accepted) },
      messageID: properties.messageID.map { String($0.prefix(Excerpt.longest)) })
  }
}
