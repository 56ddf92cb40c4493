package import Foundation

/// The executables that were built together with the tests.
package enum BuiltProducts {
  /// The executable of a product, such as `teller` or `bank`.
  /// - Throws: `ProductNotBuilt` when it is not there.
  package static func url(_ product: String) throws -> URL {
    let url = try folder().appending(path: product)
    guard FileManager.default.isExecutableFile(atPath: url.path) else { throw ProductNotBuilt(path: url.path) }
    return url
  }

  /// The test bundle lies beside them. On Linux it is the running executable itself.
  private static func folder() throws -> URL {
    #if os(Linux)
      let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      return URL(filePath: path).deletingLastPathComponent()
    #else
      guard let bundle = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) else {
        throw ProductNotBuilt(path: Bundle.main.bundlePath)
      }
      return bundle.bundleURL.deletingLastPathComponent()
    #endif
  }
}

/// An executable under test was not built.
package struct ProductNotBuilt: Error, CustomStringConvertible {
  /// Where it was looked for.
  package let path: String

  package var description: String { "\(path) is not there: run `swift build` first" }
}
