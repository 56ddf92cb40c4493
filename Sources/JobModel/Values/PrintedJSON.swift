import Foundation

/// JSON as commands print it with `--json`, and as the page sends it.
package enum PrintedJSON {
  /// A value as one line. The members are sorted, so equal values give equal lines.
  package static func text(_ value: some Encodable) throws -> String {
    String(decoding: try data(value), as: UTF8.self)
  }

  /// The same as bytes in UTF-8.
  package static func bytes(_ value: some Encodable) throws -> [UInt8] { Array(try data(value)) }

  private static func data(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return try encoder.encode(value)
  }
}
