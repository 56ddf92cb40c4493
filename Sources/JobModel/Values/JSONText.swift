import Foundation

extension JSONValue {
  /// As JSON, with sorted members: the same value is always the same text.
  package var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
  }

  /// Within a text: null as nothing, a text as it is, a list or an object as JSON.
  package var asText: String {
    switch self {
    case .null: ""
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let text): text
    case .array, .object: json
    }
  }

  /// The member at a path, of a list the element with that index; null: there is none.
  package func member(at path: [String]) -> JSONValue {
    path.reduce(self) { value, name in
      switch value {
      case .object(let members): members[name] ?? .null
      case .array(let elements): Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil } ?? .null
      default: .null
      }
    }
  }
}
