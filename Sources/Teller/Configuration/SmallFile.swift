import Foundation
import JobModel

/// Reads files of settings: small, and texts, from whatever editor.
package enum SmallFile {
  /// The text of a file, with LF behind each line. No error shows any of it.
  ///
  /// - Parameters:
  ///   - file: The file's path.
  ///   - limit: The largest file that is read, in bytes.
  /// - Returns: All of it.
  /// - Throws: ``ConfigurationError/unreadable(file:reason:)``.
  package static func text(of file: String, limit: Int) throws(ConfigurationError) -> String {
    let content: Data
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
      defer { try? handle.close() }
      content = try handle.read(upToCount: limit + 1) ?? Data()
    } catch {
      throw .unreadable(file: file, reason: reason(of: error, file))
    }
    if content.count > limit { throw .unreadable(file: file, reason: "it is larger than \(limit) bytes") }
    do throws(TextProblem) {
      return try LineSplitter.lines(of: content).map { $0 + "\n" }.joined()
    } catch {
      throw .unreadable(file: file, reason: "\(error == .utf16 ? "" : "line \(error.line): ")\(error)")
    }
  }

  /// The one line of a file that counts, without spaces around it: the first that is neither empty nor begins with `#`.
  ///
  /// - Returns: The line, and its number, from 1; nil: there is none.
  /// - Throws: ``ConfigurationError/unreadable(file:reason:)``.
  package static func line(
    of file: String, limit: Int
  ) throws(ConfigurationError) -> (number: Int, text: String)? {
    let lines = try text(of: file, limit: limit).split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let text = line.trimmingCharacters(in: .whitespaces)
      if !text.isEmpty, !text.hasPrefix("#") { return (index + 1, text) }
    }
    return nil
  }

  private static func reason(of error: any Error, _ file: String) -> String {
    switch (error as? CocoaError)?.code {
    case .fileReadNoSuchFile?, .fileNoSuchFile?: "there is no such file"
    case .fileReadNoPermission?: "permission denied"
    default: isFolder(file) ? "it is a folder" : String(describing: error)
    }
  }

  private static func isFolder(_ file: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) && isFolder.boolValue
  }
}
