package import Foundation

extension JSONText {
  /// One for all threads: it is never configured, and keeps no state.
  private static let decoder = JSONDecoder()

  /// Reads a value of a type. What is JSON decides the scanner, and not the decoder: that one takes half a character, and
  /// one of two members with one name.
  ///
  /// - Throws: `Unreadable`, `DecodingError`.
  package static func decode<Value: Decodable>(_ type: Value.Type, from json: [UInt8]) throws -> Value {
    var scanner = try JSONScanner(json)
    try scanner.skipDistinct()
    try scanner.end()
    return try decoder.decode(type, from: Data(json))
  }

  /// The same of bytes that are in a `Data`.
  package static func decode<Value: Decodable>(_ type: Value.Type, from json: Data) throws -> Value {
    try decode(type, from: Array(json))
  }
}

extension JSONScanner {
  /// Skips any value whose objects have each member once.
  package mutating func skipDistinct() throws(Unreadable) {
    if isAtObject {
      try object { _, json throws(Unreadable) in try json.skipDistinct() }
    } else if isAtList {
      try list { json throws(Unreadable) in try json.skipDistinct() }
    } else {
      try skip()
    }
  }
}
