import Foundation

/// A job's own headers as the ledger keeps them: a JSON object, null for none.
enum HeadersText {
  static func text(_ headers: [String: String]) -> String? {
    if headers.isEmpty { return nil }
    // Texts have always a form in JSON.
    guard let json = try? JSONEncoder().encode(headers) else { return nil }
    return String(decoding: json, as: UTF8.self)
  }

  /// Headers that cannot be read are none: a job runs without them.
  static func headers(_ text: String?) -> [String: String] {
    guard let text else { return [:] }
    return (try? JSONDecoder().decode([String: String].self, from: Data(text.utf8))) ?? [:]
  }
}
