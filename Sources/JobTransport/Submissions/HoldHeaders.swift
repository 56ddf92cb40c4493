import AMQP
import JobModel

/// The headers of a submission that hold a job, limit it or make it one-shot.
struct HoldHeaders {
  private let headers: HeaderReader
  private let job: JobID
  private let now: Timestamp

  /// The names of these headers. A plan's message has none of them.
  static let names = [
    Header.runAt, Header.delay, Header.startBy, Header.startWithin, Header.timeout, Header.after, Header.afterFailed,
    Header.key, Header.keyWindow,
  ]

  /// `now`: by the coordinator's clock. No moment may be further ahead than `Submission.longestWait`.
  init(_ headers: HeaderReader, of job: JobID, now: Timestamp) {
    self.headers = headers
    self.job = job
    self.now = now
  }

  static func write(_ submission: Submission, to properties: inout MessageProperties) {
    write(submission.runAt, at: Header.runAt, within: Header.delay, to: &properties)
    write(submission.startBy, at: Header.startBy, within: Header.startWithin, to: &properties)
    properties.headers[Header.timeout] = submission.timeout.map { .int($0.milliseconds) }
    if let after = submission.after {
      properties.headers[Header.after] = .array(after.jobs.map { .string($0.description) })
      properties.headers[Header.afterFailed] = .string(after.rule.rawValue)
    }
    if let key = submission.key {
      properties.headers[Header.key] = .string(key.text)
      switch key.window {
      case .lasting(let span): properties.headers[Header.keyWindow] = .int(span.components.seconds)
      case .whileLive: properties.headers[Header.keyWindow] = .string(KeyWindow.whileLiveWord)
      }
    }
  }

  private static func write(
    _ time: SubmittedTime?, at moment: String, within span: String, to properties: inout MessageProperties
  ) {
    switch time {
    case .at(let time): properties.headers[moment] = .int(time.milliseconds)
    case .within(let duration): properties.headers[span] = .int(duration.milliseconds)
    case nil: break
    }
  }
}

extension HoldHeaders {
  func runAt() throws(JobFailure) -> SubmittedTime? { try time(at: Header.runAt, within: Header.delay) }
  func startBy() throws(JobFailure) -> SubmittedTime? { try time(at: Header.startBy, within: Header.startWithin) }

  func timeout() throws(JobFailure) -> Duration? {
    try headers.read(orFail: JobFailure.Code.badTimeout) { headers throws(HeaderProblem) in
      try headers.milliseconds(Header.timeout, in: Submission.timeoutLimits)
    }
  }

  private func time(at moment: String, within span: String) throws(JobFailure) -> SubmittedTime? {
    if headers.has(moment), headers.has(span) {
      throw JobFailure(
        code: JobFailure.Code.badTime, message: "headers \(moment) and \(span) exclude each other: set one of them")
    }
    return try headers.read(orFail: JobFailure.Code.badTime) { headers throws(HeaderProblem) in
      if let time = try headers.moment(moment) {
        guard time <= now + Submission.longestWait else { throw headers.tooLate(moment) }
        return .at(time)
      }
      return try headers.milliseconds(span, in: .zero...Submission.longestWait).map { .within($0) }
    }
  }
}

extension HoldHeaders {
  func after() throws(JobFailure) -> Dependencies? {
    try headers.read(orFail: JobFailure.Code.badAfter) { headers throws(HeaderProblem) in
      let rule = try headers.value(Header.afterFailed, expected: "fail or cancel") { DependencyRule(rawValue: $0) }
      guard let texts = try headers.texts(Header.after) else {
        if rule == nil { return nil }
        throw .missing(Header.after)
      }
      return Dependencies(jobs: try jobs(texts), rule: rule ?? .fail)
    }
  }

  /// The ids, each once, in the order of the texts.
  private func jobs(_ texts: [String]) throws(HeaderProblem) -> [JobID] {
    var jobs: [JobID] = []
    var named: Set<JobID> = []
    for text in texts {
      guard let id = JobID(text) else { throw badJob(Excerpt.quoted(text), "a job's id") }
      if id == job { throw badJob("the job's own id", "that of another one") }
      if named.insert(id).inserted { jobs.append(id) }
    }
    guard (1...Dependencies.limit).contains(jobs.count) else {
      throw badJob("a list of \(jobs.count)", "one of 1–\(Dependencies.limit) jobs")
    }
    return jobs
  }

  private func badJob(_ found: String, _ expected: String) -> HeaderProblem {
    HeaderProblem(name: Header.after, expected: expected, found: found)
  }
}

extension HoldHeaders {
  func key() throws(JobFailure) -> SubmissionKey? {
    try headers.read(orFail: JobFailure.Code.badKey) { headers throws(HeaderProblem) in
      let window = try window(headers)
      let text = try headers.value(Header.key, expected: SubmissionKey.form) { SubmissionKey.isValid($0) ? $0 : nil }
      guard let text else {
        if window == nil { return nil }
        throw .missing(Header.key)
      }
      return SubmissionKey(text: text, window: window ?? .lasting(SubmissionKey.defaultWindow))
    }
  }

  private func window(_ headers: HeaderReader) throws(HeaderProblem) -> KeyWindow? {
    if headers.value(Header.keyWindow) == .string(KeyWindow.whileLiveWord) { return .whileLive }
    do {
      return try headers.seconds(Header.keyWindow, in: SubmissionKey.windowLimits).map { .lasting($0) }
    } catch {
      throw HeaderProblem(
        name: error.name, expected: "\(error.expected), or \(KeyWindow.whileLiveWord)", found: error.found)
    }
  }
}

extension SubmissionKey {
  /// The form of a key, for people.
  package static let form = "1–\(longest) bytes without control characters"

  /// Whether a text may be a key. A key has no control characters: people read keys in lists and logs, and a text of SQLite
  /// ends at the first zero, so that two different keys would be one.
  package static func isValid(_ text: String) -> Bool {
    (1...longest).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}
