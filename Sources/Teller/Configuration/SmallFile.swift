import Foundation
import JobModel
import Processes

/// Reads files of settings: small, and texts, from whatever editor.
package enum SmallFile {
  /// A file that was read.
  package struct Content: Sendable {
    /// All of it, with LF behind each line.
    package let text: String
    /// Who may do what with it, as in `chmod`.
    package let permissions: Int
    /// Whether it can be read again. A pipe cannot: it gives each byte once.
    package let isRegular: Bool
  }

  /// How long a file may take.
  package static let patience: Duration = FileReads.patience

  /// The text of a file, with LF behind each line. No error shows any of it.
  ///
  /// - Parameters:
  ///   - file: The file's path.
  ///   - limit: The largest file that is read, in bytes.
  /// - Returns: All of it.
  /// - Throws: ``ConfigurationError/unreadable(file:reason:)``.
  package static func text(of file: String, limit: Int) throws(ConfigurationError) -> String {
    try content(of: file, limit: limit).text
  }

  /// A file, with its text. No error shows any of it.
  ///
  /// - Parameters:
  ///   - file: The file's path.
  ///   - limit: The largest file that is read, in bytes.
  ///   - patience: How long reading it may take, on a thread of its own, while the calling thread is blocked.
  /// - Returns: All of it.
  /// - Throws: ``ConfigurationError/unreadable(file:reason:)``.
  package static func content(
    of file: String, limit: Int, within patience: Duration = patience
  ) throws(ConfigurationError) -> Content {
    let read: FileContent
    do throws(FileProblem) {
      read = try FileReads.shared.content(of: file, atMost: limit + 1, within: patience)
    } catch {
      throw .unreadable(file: file, reason: error.description)
    }
    if read.bytes.count > limit { throw .unreadable(file: file, reason: "it is larger than \(limit) bytes") }
    do throws(TextProblem) {
      let text = try LineSplitter.lines(of: read.bytes).map { $0 + "\n" }.joined()
      return Content(text: text, permissions: read.permissions, isRegular: read.isRegular)
    } catch {
      throw .unreadable(file: file, reason: "\(error == .utf16 ? "" : "line \(error.line): ")\(error)")
    }
  }

  /// The one line of a text that counts, without spaces around it: the first that is neither empty nor begins with `#`.
  ///
  /// - Returns: The line, and its number, from 1; nil: there is none.
  package static func line(of text: String) -> (number: Int, text: String)? {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let text = line.trimmingCharacters(in: .whitespaces)
      if !text.isEmpty, !text.hasPrefix("#") { return (index + 1, text) }
    }
    return nil
  }
}
