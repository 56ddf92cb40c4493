import Foundation
import JobTransport

/// Checks of a payload before it is sent.
enum PayloadCheck {
  /// The most bytes that a payload may have.
  static let limit = SubmissionCodec.defaultBodyLimit

  static func isJSON(_ bytes: some Sequence<UInt8>) -> Bool {
    (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
  }

  /// Why a payload of so many bytes cannot be sent; nil when it can.
  static func problem(size: Int) -> String? {
    guard size > limit else { return nil }
    return "the payload has \(size) bytes, and at most \(limit) are read; store it elsewhere and submit where it is"
  }
}
