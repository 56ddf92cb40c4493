import AMQP
import Foundation

/// A file whose one line is the broker's URL, with its password: so the password is in no environment variable and in no
/// argument. No error shows the content.
enum BrokerURLFile {
  /// The largest such file, in bytes.
  static let sizeLimit = 4 << 10

  /// Reads the URL: empty lines and lines with `#` before it are left out. Blocks the calling thread until it is read, or
  /// `patience` is over.
  ///
  /// - Returns: The URL; and the file, if it can be read again. A pipe cannot, as that of `<(…)` in a shell.
  /// - Throws: ``ConfigurationError``, which names the file.
  static func read(
    _ path: String, within patience: Duration = SmallFile.patience
  ) throws(ConfigurationError) -> (url: BrokerURL, file: String?) {
    let content = try SmallFile.content(of: path, limit: sizeLimit, within: patience)
    guard let line = SmallFile.line(of: content.text) else {
      throw .unreadable(file: path, reason: "it is empty, and must have a line with the broker's URL")
    }
    do {
      return (try BrokerURL(line.text), content.isRegular ? path : nil)
    } catch {
      throw .invalid(file: path, line: line.number, problem: error.description)
    }
  }
}
