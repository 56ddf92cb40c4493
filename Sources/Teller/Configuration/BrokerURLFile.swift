import AMQP
import Foundation

/// A file whose first line is the broker's URL, with its password: it stands in no environment then, and in no argument.
/// No error shows what is in it.
enum BrokerURLFile {
  /// The largest file that is taken for one, in bytes.
  static let sizeLimit = 4 << 10

  /// The URL on the first line, without the spaces around it.
  static func read(_ path: String) throws(ConfigurationError) -> BrokerURL {
    let content = try TellerConfiguration.content(of: path, limit: sizeLimit)
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
