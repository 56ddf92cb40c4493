import ArgumentParser
import Teller

/// Which jobs are submitted.
struct JobOptions: ParsableArguments {
  @Option(help: "The payload's size in bytes, as JSON.")
  var bytes = 200

  @Option(help: "The payload itself, in the place of one of that size.")
  var payload: String?

  @Option(help: "The kind.")
  var kind = "noop"

  @Option(help: "How long each is held, in seconds.")
  var delay: Double?

  @Flag(help: "Each with a key of its own, taken while it lives.")
  var keyed = false

  /// The largest payload: what is submitted at once is kept in memory.
  private static let sizes = 16...(1 << 20)

  func validate() throws {
    guard JobOptions.sizes.contains(bytes) else {
      throw ValidationError("--bytes takes \(JobOptions.sizes.lowerBound)–\(JobOptions.sizes.upperBound)")
    }
    guard JobKind(kind) != nil else { throw ValidationError("\(kind) is no kind") }
  }

  /// One of them, with an id of its own.
  func submission(replies: JobSubmission<JSONValue>.Replies) throws -> JobSubmission<JSONValue> {
    guard let kind = JobKind(kind) else { throw ValidationError("\(kind) is no kind") }
    var submission = JobSubmission(kind: kind, payload: body)
    submission.replies = replies
    submission.delay = delay.map { .seconds($0) }
    if keyed { (submission.key, submission.keyWindow) = (submission.id.description, .whileLive) }
    return submission
  }

  private var body: [UInt8] {
    if let payload { return Array(payload.utf8) }
    let frame = #"{"a":""}"#.utf8.count
    return Array(#"{"a":"\#(String(repeating: "x", count: bytes - frame))"}"#.utf8)
  }
}
