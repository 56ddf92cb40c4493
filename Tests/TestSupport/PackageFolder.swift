package import Foundation

/// The folder of the package that is being tested, found from this file's own place in it.
package enum PackageFolder {
  /// The folder that holds Package.swift.
  package static var url: URL {
    URL(filePath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  }
}
