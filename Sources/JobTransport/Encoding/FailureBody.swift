import JobModel

/// A failure as a JSON body: `{"error", "message"}`.
enum FailureBody {
  static func encode(_ failure: JobFailure) -> [UInt8] { WireJSON.encodePlain(failure) }

  /// The failure, cut to its limits: a peer may send more. It is cut by scalars first, since one character may have any
  /// number of them.
  static func decode(_ bytes: [UInt8]) throws(Unreadable) -> JobFailure {
    let failure = try WireJSON.decode(JobFailure.self, from: bytes)
    return JobFailure(
      code: cut(failure.code, to: JobFailure.longestCode), message: cut(failure.message, to: JobFailure.longestMessage))
  }

  /// A failure with a message of at most so many Unicode scalars.
  static func shortened(_ failure: JobFailure, to limit: Int) -> JobFailure {
    JobFailure(code: failure.code, message: cut(failure.message, to: limit))
  }

  private static func cut(_ text: String, to limit: Int) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit)))
  }
}
