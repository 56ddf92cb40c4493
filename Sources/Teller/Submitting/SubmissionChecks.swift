import Foundation
import JobModel
import JobTransport

extension JobSubmission {
  /// Looks for a reason to reject the submission, as ``TellerClient/submit(contentsOf:)`` does before it sends anything.
  /// The coordinator, which knows its `teller.yaml`, may reject it all the same.
  ///
  /// - Throws: ``TellerError/invalid(reason:)``; ``TellerError/payloadTooLarge(bytes:limit:)``.
  public func check() throws(TellerError) { _ = try submission(replyQueue: "") }

  /// The submission as it goes over the wire.
  ///
  /// - Throws: a `TellerError` for a submission that the coordinator would reject.
  func submission(replyQueue: String, ofTracer: [String: String] = [:]) throws(TellerError) -> Submission {
    if payload.count > SubmissionCodec.defaultBodyLimit {
      throw .payloadTooLarge(bytes: payload.count, limit: SubmissionCodec.defaultBodyLimit)
    }
    if SubmissionPacks.isContentType(contentType) {
      throw .invalid(reason: "\(SubmissionPacks.contentType) is the content type of several submissions, not of one")
    }
    if let attempts, !Submission.attemptLimits.contains(attempts) {
      throw .invalid(reason: "attempts: \(attempts) is not \(Submission.attemptLimits.written)")
    }
    if let rank, !Submission.rankLimits.contains(rank) {
      throw .invalid(reason: "rank: \(rank) is not \(Submission.rankLimits.written)")
    }
    if let timeout, !Submission.timeoutLimits.contains(timeout) {
      throw .invalid(reason: "a run may take between a millisecond and a week, and \(timeout) is not")
    }
    var submission = Submission(
      id: id, kind: kind, department: department, priority: priority, payload: payload, contentType: contentType,
      submittedAt: .now(), maxAttempts: attempts, rank: rank, runAt: try time(delay, runAt, of: "run"),
      startBy: try time(startWithin, startBy, of: "start by"), timeout: timeout, after: try dependencies(),
      key: try submissionKey(), reply: reply(to: replyQueue))
    submission.content.add(own: headers, ofTracer: ofTracer)
    if let problem = SubmittedHeaders.problem(of: submission.content.headers) { throw .invalid(reason: problem) }
    return submission
  }

  private func time(_ duration: Duration?, _ date: Date?, of what: String) throws(TellerError) -> SubmittedTime? {
    if duration != nil, date != nil {
      throw .invalid(reason: "the time to \(what) is given twice: as a moment, and as how long from now")
    }
    if let duration {
      if duration >= .zero, duration <= Submission.longestWait { return .within(duration) }
      throw .invalid(reason: "the time to \(what) lies at most ten years ahead, and \(duration) does not")
    }
    guard let date else { return nil }
    // The coordinator's clock decides; this only refuses moments that no clock can mean.
    let latest = Date(timeIntervalSinceNow: Double(Submission.longestWait.components.seconds))
    if date.timeIntervalSince1970 >= 0, date <= latest { return .at(Timestamp(date)) }
    let text = date.formatted(.iso8601)
    throw .invalid(reason: "the time to \(what) lies between 1970 and ten years from now, and \(text) does not")
  }

  private func dependencies() throws(TellerError) -> Dependencies? {
    if after.isEmpty { return nil }
    if after.contains(id) { throw .invalid(reason: "a job cannot wait for itself") }
    var seen: Set<JobID> = []
    let jobs = after.filter { seen.insert($0).inserted }
    if jobs.count > Dependencies.limit {
      throw .invalid(reason: "a job waits for at most \(Dependencies.limit) others, not for \(jobs.count)")
    }
    return Dependencies(jobs: jobs, rule: afterFailed)
  }

  private func submissionKey() throws(TellerError) -> SubmissionKey? {
    guard let key else {
      if keyWindow != nil { throw .invalid(reason: "there is a window for a key, and no key") }
      return nil
    }
    guard (1...SubmissionKey.longest).contains(key.utf8.count) else {
      throw .invalid(reason: "a key has 1–\(SubmissionKey.longest) bytes, not \(key.utf8.count)")
    }
    guard case .lasting(let window) = keyWindow ?? .lasting(SubmissionKey.defaultWindow) else {
      return SubmissionKey(text: key, window: .whileLive)
    }
    guard SubmissionKey.windowLimits.contains(window) else {
      throw .invalid(reason: "a key's window is between a second and 366 days, and \(window) is not")
    }
    // Whole seconds on the wire, rounded up: no key is given back too early.
    return SubmissionKey(text: key, window: .lasting(.seconds((window.milliseconds + 999) / 1_000)))
  }

  private func reply(to queue: String) -> ReplyAddress? {
    switch replies {
    case .none: nil
    case .acceptance: ReplyAddress(replyTo: queue, correlationID: id.description, wait: .accepted)
    case .outcome: ReplyAddress(replyTo: queue, correlationID: id.description, wait: .outcome)
    }
  }
}
