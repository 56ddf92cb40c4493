import Foundation

/// Reads files of settings: small, and texts.
package enum SmallFile {
  /// The text of a file. No error shows any of it.
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
      throw .unreadable(file: file, reason: reason(of: error))
    }
    if content.count > limit { throw .unreadable(file: file, reason: "it is larger than \(limit) bytes") }
    guard let text = String(data: content, encoding: .utf8) else {
      throw .unreadable(file: file, reason: "it is not UTF-8")
    }
    return text
  }

  private static func reason(of error: any Error) -> String {
    switch (error as? CocoaError)?.code {
    case .fileReadNoSuchFile?, .fileNoSuchFile?: "there is no such file"
    case .fileReadNoPermission?: "permission denied"
    default: String(describing: error)
    }
  }
}
