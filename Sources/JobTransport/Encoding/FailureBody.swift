import AMQP
import JobModel

/// A failure as a JSON body: `{"error", "message"}`.
enum FailureBody {
  static func encode(_ failure: JobFailure) -> [UInt8] { WireJSON.encodePlain(failure) }

  /// The failure, cut to its limits: a peer may send more. It is cut by scalars first, since one character may have any
  /// number of them.
  static func decode(_ body: Delivery.Body) throws(Unreadable) -> JobFailure {
    cut(try WireJSON.decode(JobFailure.self, from: body))
  }

  /// The failure of a body that is only bytes.
  static func decode(_ bytes: [UInt8]) throws(Unreadable) -> JobFailure {
    cut(try WireJSON.decode(JobFailure.self, from: bytes))
  }

  private static func cut(_ failure: JobFailure) -> JobFailure {
    JobFailure(
      code: cut(failure.code, to: JobFailure.longestCode), message: cut(failure.message, to: JobFailure.longestMessage))
  }

  static func cut(_ text: String, to limit: Int) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit)))
  }
}
