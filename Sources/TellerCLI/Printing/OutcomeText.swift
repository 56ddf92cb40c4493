import Foundation
import Teller

/// The outcome of a job, for people and for programs.
enum OutcomeText {
  /// `ID succeeded {"balance":5}` or `ID failed CODE: MESSAGE`, on one line.
  static func line(_ job: JobID, _ outcome: Outcome) -> String {
    let detail = outcome.failure?.description ?? result(outcome)?.shown ?? ""
    let words = detail.onOneLine
    return "\(job) \(outcome.state)" + (words.isEmpty ? "" : " \(words)")
  }

  /// The result of a job that succeeded; nil for other jobs, and for an empty result.
  static func result(_ outcome: Outcome) -> ResultText? {
    guard case .succeeded(let bytes, _) = outcome, !bytes.isEmpty else { return nil }
    return ResultText(bytes)
  }
}

/// A result: as text if it is text, else as Base64.
enum ResultText: Equatable {
  case text(String)
  case base64(String)

  init(_ bytes: [UInt8]) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = .text(text)
    } else {
      self = .base64(Data(bytes).base64EncodedString())
    }
  }

  /// The result for people.
  var shown: String {
    switch self {
    case .text(let text): text
    case .base64(let text): "base64 \(text)"
    }
  }
}
