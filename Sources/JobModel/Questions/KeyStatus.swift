public import Foundation

/// A key at one moment: who has it, and the outcome that is kept for those who ask late.
///
/// The outcome stays until the key is used again or reset; as long as the key is taken, and after that as long as the
/// ledger keeps the job.
public struct KeyStatus: Hashable, Sendable {
  /// The key, and the kind that it belongs to.
  public var name: JobKey
  /// Whether a submission with the key runs nothing now.
  public var isTaken: Bool
  /// The last job that had the key; nil: nobody has used the key, or it was reset since.
  public var job: JobID?
  /// The state of that job.
  public var state: JobState?
  /// How many wait to be told the outcome.
  public var waiting: Int

  package var sinceMs: Timestamp?
  package var untilMs: Timestamp?
  package var isWhileLive: Bool?
  package var finishedMs: Timestamp?
  package var result: String?
  package var resultData: Data?
  package var resultContentType: String?
  package var error: JobFailure?

  /// A key that nobody has used.
  package init(_ name: JobKey) { (self.name, isTaken, waiting) = (name, false, 0) }
}

extension KeyStatus {
  /// When the job with the key was accepted, by the coordinator's clock; nil when its record is removed.
  public var since: Date? { sinceMs?.date }
  /// Until when the key stays taken at least. Nil: the key is free, or is taken exactly until its job ends.
  public var until: Date? { untilMs?.date }
  /// When the job ended; nil when it has not, or its record is removed.
  public var finished: Date? { finishedMs?.date }

  /// The outcome; nil while the job has not ended, and when there is no job.
  public var outcome: Outcome? {
    switch state {
    case .held, .queued, .running, nil: nil
    case .succeeded:
      .succeeded(result: resultData.map(Array.init) ?? Array((result ?? "").utf8), contentType: resultContentType)
    case .failed: error.map { .failed($0) }
    case .cancelled: error.map { .cancelled($0) }
    }
  }

  /// Takes over how a job ended.
  package mutating func end(with outcome: Outcome) {
    state = outcome.state
    error = outcome.failure
    guard case .succeeded(let bytes, let contentType) = outcome else { return }
    resultContentType = contentType
    if bytes.count <= JobRecord.longestText, let text = String(validating: bytes, as: UTF8.self) {
      result = text
    } else {
      resultData = Data(bytes)
    }
  }
}

extension KeyStatus: Codable {
  private enum CodingKeys: String, CodingKey {
    case kind, key, job, state, waiting, result, error
    case isTaken = "taken"
    case sinceMs = "since_ms"
    case untilMs = "until_ms"
    case isWhileLive = "while_live"
    case finishedMs = "finished_ms"
    case resultData = "result_base64"
    case resultContentType = "result_content_type"
  }

  /// Reads one flat object.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      JobKey(
        kind: try members.decode(JobKind.self, forKey: .kind), key: try members.decode(String.self, forKey: .key)))
    isTaken = try members.decode(Bool.self, forKey: .isTaken)
    waiting = try members.decode(Int.self, forKey: .waiting)
    job = try members.decodeIfPresent(JobID.self, forKey: .job)
    state = try members.decodeIfPresent(JobState.self, forKey: .state)
    sinceMs = try members.decodeIfPresent(Timestamp.self, forKey: .sinceMs)
    untilMs = try members.decodeIfPresent(Timestamp.self, forKey: .untilMs)
    isWhileLive = try members.decodeIfPresent(Bool.self, forKey: .isWhileLive)
    finishedMs = try members.decodeIfPresent(Timestamp.self, forKey: .finishedMs)
    result = try members.decodeIfPresent(String.self, forKey: .result)
    resultData = try members.decodeIfPresent(Data.self, forKey: .resultData)
    resultContentType = try members.decodeIfPresent(String.self, forKey: .resultContentType)
    error = try members.decodeIfPresent(JobFailure.self, forKey: .error)
  }

  /// Writes one flat object.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(name.kind, forKey: .kind)
    try members.encode(name.key, forKey: .key)
    try members.encode(isTaken, forKey: .isTaken)
    try members.encode(waiting, forKey: .waiting)
    try members.encodeIfPresent(job, forKey: .job)
    try members.encodeIfPresent(state, forKey: .state)
    try members.encodeIfPresent(sinceMs, forKey: .sinceMs)
    try members.encodeIfPresent(untilMs, forKey: .untilMs)
    try members.encodeIfPresent(isWhileLive, forKey: .isWhileLive)
    try members.encodeIfPresent(finishedMs, forKey: .finishedMs)
    try members.encodeIfPresent(result, forKey: .result)
    try members.encodeIfPresent(resultData, forKey: .resultData)
    try members.encodeIfPresent(resultContentType, forKey: .resultContentType)
    try members.encodeIfPresent(error, forKey: .error)
  }
}
