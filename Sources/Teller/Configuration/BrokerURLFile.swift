import AMQP
import Foundation

/// A file whose first line is the broker's URL, with its password: so the password is in no environment variable and in no
/// argument. No error shows the content.
enum BrokerURLFile {
  /// The largest such file, in bytes.
  static let sizeLimit = 4 << 10

  /// Reads the URL on the first line.
  static func read(_ path: String) throws(ConfigurationError) -> BrokerURL {
    let content = try SmallFile.text(of: path, limit: sizeLimit)
    let line = content.prefix { !$0.isNewline }.trimmingCharacters(in: .whitespaces)
    if line.isEmpty {
      throw .unreadable(file: path, reason: "its first line is empty, and must be the broker's URL")
    }
    do {
      return try BrokerURL(line)
    } catch {
      throw .invalid(file: path, line: 1, problem: error.description)
    }
  }
}
