import AMQP
import Foundation

/// A file whose one line is the broker's URL, with its password: so the password is in no environment variable and in no
/// argument. No error shows the content.
enum BrokerURLFile {
  /// The largest such file, in bytes.
  static let sizeLimit = 4 << 10

  /// Reads the URL: empty lines and lines with `#` before it are left out.
  static func read(_ path: String) throws(ConfigurationError) -> BrokerURL {
    guard let line = try SmallFile.line(of: path, limit: sizeLimit) else {
      throw .unreadable(file: path, reason: "it is empty, and must have a line with the broker's URL")
    }
    do {
      return try BrokerURL(line.text)
    } catch {
      throw .invalid(file: path, line: line.number, problem: error.description)
    }
  }
}
