import ArgumentParser
import JobModel
import JobTransport
import Teller

/// The options of one job.
struct JobOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: """
      The job's department. (default: `department:` of its kind in the coordinator's teller.yaml, else the name of the \
      kind)
      """)
  var department: Department?

  @Option(help: ArgumentHelp("The payload, as JSON.", valueName: "json"))
  var payload: String?

  @Option(
    help: ArgumentHelp("The file with the payload, any bytes; - is standard input.", valueName: "file"),
    completion: .file())
  var payloadFile: String?

  @Option(name: .shortAndLong, help: "How urgent the job is, 0–9; higher goes first. (default: 4)")
  var priority: Priority?

  @Option(
    help: """
      How many attempts the job has, \(Submission.attemptLimits.written). With 1 it runs at most once. (default: \
      `attempts:` of its kind in the coordinator's teller.yaml, else the handler's number, else 3)
      """)
  var attempts: Int?

  @Option(
    help: """
      The job's place within the plan that runs in an ordered department, \(Submission.rankLimits.written); lower goes \
      first.
      """)
  var rank: Int?

  @Option(help: "The job's id, a UUID. The same id is the same job, however often it is submitted.")
  var id: JobID?

  /// Whether none of these options was given.
  var isUntouched: Bool {
    department == nil && payload == nil && payloadFile == nil && priority == nil && attempts == nil && rank == nil
      && id == nil
  }

  func validate() throws {
    if payload != nil, payloadFile != nil { throw ValidationError("Give --payload or --payload-file, not both.") }
    if let payload, let flaw = JSONText.flaw(of: Array(payload.utf8)) {
      throw ValidationError("--payload is not valid JSON (\(flaw)); other bytes are sent with --payload-file.")
    }
    if let attempts, !Submission.attemptLimits.contains(attempts) {
      throw ValidationError("--attempts is \(Submission.attemptLimits.written).")
    }
    if let rank, !Submission.rankLimits.contains(rank) {
      throw ValidationError("--rank is \(Submission.rankLimits.written).")
    }
  }

  /// The job, with its payload read.
  ///
  /// - Throws: `Failure` when the payload cannot be read or is too large.
  func submission(of kind: JobKind) async throws -> JobSubmission<JSONValue> {
    let (bytes, contentType) = try await payloadBytes()
    return JobSubmission(
      kind: kind, payload: bytes, contentType: contentType, department: department, priority: priority ?? .normal,
      attempts: attempts, rank: rank, id: id ?? JobID())
  }

  private func payloadBytes() async throws -> ([UInt8], String?) {
    if let payload { return (Array(payload.utf8), "application/json") }
    guard let payloadFile else { return ([], nil) }
    let limit = SubmissionCodec.defaultBodyLimit
    let bytes = try await ByteChunks(payloadFile).all(limit: limit)
    // The rest was not read, so nobody knows how many they are.
    guard bytes.count <= limit else {
      throw Failure(
        .usage,
        "the payload has more than \(limit) bytes, and no more are read; store it elsewhere and submit where it is")
    }
    return (bytes, JSONText.flaw(of: bytes) == nil ? "application/json" : "application/octet-stream")
  }
}
