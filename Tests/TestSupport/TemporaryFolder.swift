package import Foundation

/// A folder that exists as long as this value.
package final class TemporaryFolder: Sendable {
  /// Where it is.
  package let url: URL

  /// Makes an empty folder that only this user can enter.
  /// - Throws: what the system says when it cannot be made.
  package init() throws {
    let name = "teller-test-\(UUID().uuidString)"
    url = FileManager.default.temporaryDirectory.appending(path: name)
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// A place in it.
  package func appending(_ path: String) -> URL { url.appending(path: path) }
}
