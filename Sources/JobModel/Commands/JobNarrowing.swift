public import Foundation

/// Which jobs of a department or a kind a command about many jobs means. What is nil leaves out no job.
public struct JobNarrowing: Hashable, Sendable, Codable {
  /// Only jobs in this state, for a cancel: ``JobState/held``, ``JobState/queued`` or ``JobState/running``.
  public var state: JobState?
  /// Only failed jobs with this ``JobFailure/code``, for a replay or a drop.
  public var error: String?
  /// Only jobs that were submitted with this key.
  public var key: String?
  /// Only the steps of this plan.
  public var plan: JobID?

  package var acceptedSince: Timestamp?
  /// Jobs that were accepted at this moment are left out.
  package var acceptedUntil: Timestamp?

  /// The jobs that pass every one of these filters.
  public init(
    state: JobState? = nil, error: String? = nil, key: String? = nil, plan: JobID? = nil, since: Date? = nil,
    until: Date? = nil
  ) {
    (self.state, self.error, self.key, self.plan) = (state, error, key, plan)
    (self.since, self.until) = (since, until)
  }

  /// Only jobs that were accepted at this moment or later, by the coordinator's clock, to the nearest millisecond.
  public var since: Date? {
    get { acceptedSince?.date }
    set { acceptedSince = newValue.map(Timestamp.init) }
  }

  /// Only jobs that were accepted before this moment, by the coordinator's clock, to the nearest millisecond.
  public var until: Date? {
    get { acceptedUntil?.date }
    set { acceptedUntil = newValue.map(Timestamp.init) }
  }

  /// Whether it leaves out no job.
  public var isEmpty: Bool { self == JobNarrowing() }

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case state, error, key, plan
    case acceptedSince = "since_ms"
    case acceptedUntil = "until_ms"
  }
}

extension JobNarrowing {
  private var texts: [ExactText?] { [error, key].map { $0.map { ExactText($0) } } }

  /// Whether both mean the same jobs: keys and codes are compared as bytes.
  public static func == (left: JobNarrowing, right: JobNarrowing) -> Bool {
    (left.state, left.plan, left.acceptedSince, left.acceptedUntil)
      == (right.state, right.plan, right.acceptedSince, right.acceptedUntil) && left.texts == right.texts
  }

  /// As `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(state)
    hasher.combine(texts)
    hasher.combine(plan)
    hasher.combine(acceptedSince)
    hasher.combine(acceptedUntil)
  }
}

extension JobNarrowing {
  /// Whether a job passes, in the state in which people see it. Keys and codes are compared as bytes.
  package func passes(_ job: Job, _ visible: JobState) -> Bool {
    state ?? visible == visible && plan.map { $0 == job.plan } ?? true && isSame(key, job.key)
      && isSame(error, job.outcome?.failure?.code) && acceptedSince.map { job.acceptedAt >= $0 } ?? true
      && acceptedUntil.map { job.acceptedAt < $0 } ?? true
  }

  private func isSame(_ wanted: String?, _ found: String?) -> Bool {
    guard let wanted else { return true }
    return found.map { $0.utf8.elementsEqual(wanted.utf8) } ?? false
  }

  /// What is wrong with it for a command, for people; nil: nothing.
  package func problem(for action: JobOperation.Action) -> String? {
    if action == .cancel {
      if error != nil { return "only failed jobs are found by their error, and they cannot be cancelled" }
      if state?.isFinal == true { return "only jobs that are held, queued or running can be cancelled" }
    } else if state != nil {
      return "a state is only for cancel: replay and drop are about failed jobs"
    }
    if let key, !(1...SubmissionKey.longest).contains(key.utf8.count) {
      return "a key has 1–\(SubmissionKey.longest) bytes, and this one has \(key.utf8.count)"
    }
    var accepted = AcceptanceTime()
    (accepted.since, accepted.until) = (acceptedSince, acceptedUntil)
    return accepted.problem ?? JobFailure.problem(ofCode: error)
  }

  /// In a few words, for the record of what was done: `error bad, since 2026-03-01T10:00:00Z`; nil: it is empty.
  package var words: String? {
    let moment = { (time: Timestamp) in time.date.formatted(.iso8601) }
    let parts = [
      state.map { "state \($0.rawValue)" }, error.map { "error \($0)" }, key.map { "key \($0)" },
      plan.map { "plan \($0)" }, acceptedSince.map { "since \(moment($0))" },
      acceptedUntil.map { "until \(moment($0))" },
    ].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
