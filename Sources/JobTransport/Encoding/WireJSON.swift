import AMQP
import Foundation
import JobModel

/// The JSON bodies of Teller's own messages. Members are sorted, so equal values have equal bytes.
enum WireJSON {
  /// The content type of every such body.
  static let contentType = "application/json"

  /// The bytes of a value.
  ///
  /// - Throws: `EncodingError`, for a number that JSON does not have, such as infinity.
  static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value))
  }

  /// The bytes of a value with texts and finite numbers only: JSON can hold every one.
  static func encodePlain(_ value: some Encodable) -> [UInt8] {
    do {
      return try encode(value)
    } catch {
      assertionFailure("\(type(of: value)) holds more than texts and finite numbers: \(error)")
      return Array("null".utf8)
    }
  }

  /// The value of a delivery's body; the error says in words what is wrong.
  static func decode<Value: Decodable>(_ type: Value.Type, from body: Delivery.Body) throws(Unreadable) -> Value {
    try decode(type, from: try Envelope.bytes(of: body))
  }

  /// The value of a body; the error says in words what is wrong.
  static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws(Unreadable) -> Value {
    do {
      return try JSONText.decode(type, from: Data(bytes))
    } catch {
      throw unreadable(error)
    }
  }

  /// In words, what is wrong with a value that could not be decoded.
  static func unreadable(_ error: any Error) -> Unreadable {
    if let error = error as? Unreadable { return error }
    guard let error = error as? DecodingError else {
      return Unreadable("not JSON: \(Excerpt.quoted(String(describing: error)))")
    }
    return Unreadable(explain(error))
  }

  private static func explain(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, let context):
      "\"\(key.stringValue)\" is missing\(place(context.codingPath))"
    case .typeMismatch(let type, let context):
      "not \(name(of: type))\(place(context.codingPath))"
    case .valueNotFound(let type, let context):
      "null instead of \(name(of: type))\(place(context.codingPath))"
    case .dataCorrupted(let context):
      context.codingPath.isEmpty
        ? "not JSON: \(detail(context))" : "\(context.debugDescription)\(place(context.codingPath))"
    @unknown default:
      "not what was expected"
    }
  }

  private static func detail(_ context: DecodingError.Context) -> String {
    guard let underlying = context.underlyingError as? CocoaError,
      let text = underlying.userInfo[NSDebugDescriptionErrorKey] as? String
    else { return context.debugDescription }
    return text
  }

  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a text"
    case is any BinaryInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type: "a number"
    case is Bool.Type: "true or false"
    case is [Any].Type: "a list"
    case is [String: Any].Type: "an object"
    default: "a \(type)"
    }
  }

  /// As in " at steps[2].rank".
  private static func place(_ path: [any CodingKey]) -> String {
    path.isEmpty ? "" : " at \(CodingPath.text(path))"
  }
}

/// The place of a value in JSON, for people.
package enum CodingPath {
  /// As in `steps[2].rank`; a name is cut, and has no control characters.
  package static func text(_ path: [any CodingKey]) -> String {
    path.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + Excerpt.plain(key.stringValue)
      }
    }
  }
}
