import JobModel

/// A failure as a JSON body: `{"error", "message"}`.
enum FailureBody {
  static func encode(_ failure: JobFailure) -> [UInt8] { WireJSON.encodePlain(failure) }

  /// The failure, cut to its limits: a peer may send more.
  static func decode(_ bytes: [UInt8]) throws(Unreadable) -> JobFailure {
    try WireJSON.decode(JobFailure.self, from: bytes).shortened(to: JobFailure.longestMessage)
  }
}
