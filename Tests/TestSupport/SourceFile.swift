import Foundation

/// A Swift file of the package, for tests that hold a list against the code.
package struct SourceFile: Sendable {
  /// Below the folder that was asked for.
  package let path: String
  /// Its lines, without comments; each stands at its number, from 1, less one.
  package let lines: [Substring]

  /// All Swift files of a folder of the package, by their paths.
  package static func all(in folder: String) throws -> [SourceFile] {
    let root = PackageFolder.url.appendingPathComponent(folder)
    guard let names = FileManager.default.enumerator(atPath: root.path) else { throw CocoaError(.fileNoSuchFile) }
    return try names.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted().map { path in
      SourceFile(path: path, text: try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8))
    }
  }

  package init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.range(of: "//").map { line[..<$0.lowerBound] } ?? line
    }
  }

  /// What a pattern finds: the first thing that it captures, or all that it matches, in the order of the file. `^` and `$`
  /// are those of a line.
  package func matches(of pattern: String) throws -> [String] {
    // That of Foundation: sources are read by it ten times faster than by Swift's in a debug build.
    let regex = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
    let text = lines.joined(separator: "\n") as NSString
    return regex.matches(in: text as String, range: NSRange(location: 0, length: text.length)).map { match in
      let captured = match.numberOfRanges > 1 ? match.range(at: 1) : NSRange(location: NSNotFound, length: 0)
      return text.substring(with: captured.location == NSNotFound ? match.range : captured)
    }
  }
}
