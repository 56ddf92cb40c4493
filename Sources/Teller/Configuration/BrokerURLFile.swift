import AMQP
import Foundation
import Synchronization

/// A file whose one line is the broker's URL, with its password: so the password is in no environment variable and in no
/// argument. No error shows the content.
enum BrokerURLFile {
  /// The largest such file, in bytes.
  static let sizeLimit = 4 << 10

  /// What pipes have given, by the bytes of their paths: settings are read again, and a pipe gives each byte once.
  private static let pipes = Mutex<[[UInt8]: BrokerURL]>([:])

  /// Reads the URL: empty lines and lines with `#` before it are left out. Blocks the calling thread until it is read, or
  /// `patience` is over.
  ///
  /// - Returns: The URL; and the file, if it can be read again. A pipe cannot, as that of `<(…)` in a shell: what it has
  ///   given stays.
  /// - Throws: ``ConfigurationError``, which names the file.
  static func read(
    _ path: String, within patience: Duration = SmallFile.patience
  ) throws(ConfigurationError) -> (url: BrokerURL, file: String?) {
    let given = pipes.withLock { $0[Array(path.utf8)] }
    do throws(ConfigurationError) {
      let content = try SmallFile.content(of: path, limit: sizeLimit, within: patience)
      let url = try url(in: content.text, of: path)
      if content.isRegular { return (url, path) }
      pipes.withLock { $0[Array(path.utf8)] = url }
      return (url, nil)
    } catch {
      guard let given, case .unreadable = error else { throw error }
      return (given, nil)
    }
  }

  private static func url(in text: String, of path: String) throws(ConfigurationError) -> BrokerURL {
    guard let line = SmallFile.line(of: text) else {
      throw .unreadable(file: path, reason: "it is empty, and must have a line with the broker's URL")
    }
    do {
      return try BrokerURL(line.text)
    } catch {
      throw .invalid(file: path, line: line.number, problem: error.description)
    }
  }
}
