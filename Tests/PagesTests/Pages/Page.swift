import Foundation
import TestSupport

/// A page of the documentation.
struct Page: Sendable, CustomStringConvertible {
  /// The page's path from the top of the package, such as `Deploy/compose.md`.
  let path: String
  let lines: [String]

  init(_ path: String) throws {
    self.path = path
    let text = try String(contentsOf: PackageFolder.url.appending(path: path), encoding: .utf8)
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  init(_ path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  var description: String { path }

  /// The folder that the page's links start from.
  var folder: URL { PackageFolder.url.appending(path: path).deletingLastPathComponent() }

  /// Every page: the README, the pages of `Deploy`, and the articles of the DocC catalogs.
  static let all: [Page] = {
    let found = ["README.md"] + pages(below: "Deploy") + pages(below: "Sources")
    return found.sorted().compactMap { try? Page($0) }
  }()

  private static func pages(below folder: String) -> [String] {
    let base = PackageFolder.url.appending(path: folder)
    let paths = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
    return paths.filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
  }
}
