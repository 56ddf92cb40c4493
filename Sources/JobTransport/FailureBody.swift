import AMQP
import JobModel

/// A failure as a JSON body: `{"error", "message"}`.
enum FailureBody {
  static func encode(_ failure: JobFailure) -> [UInt8] { WireJSON.encodePlain(failure) }

  /// The failure, cut to its limits: what a peer sends may be longer. By scalars first, since one character may have
  /// any number of them.
  static func decode(_ body: Delivery.Body) throws(Unreadable) -> JobFailure {
    let failure = try WireJSON.decode(JobFailure.self, from: body)
    return JobFailure(
      code: cut(failure.code, to: JobFailure.longestCode), message: cut(failure.message, to: JobFailure.longestMessage))
  }

  static func cut(_ text: String, to limit: Int) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit)))
  }
}
