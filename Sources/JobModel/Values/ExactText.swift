/// A text that decides which thing is meant: a key, a name, a code. It is equal only to a text of the same bytes (UTF-8), as
/// the ledger and the broker compare. `String` says that "é" as one character is "é" as two; on disk these are two keys.
///
/// A property that is wrapped by it stays a `String`, while the type that has it compares bytes.
@propertyWrapper
public struct ExactText: Hashable, Comparable, Sendable, Codable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The text.
  public var wrappedValue: String

  /// Wraps a text.
  public init(wrappedValue: String) { self.wrappedValue = wrappedValue }
  /// The same for a text that is no property.
  public init(_ text: String) { wrappedValue = text }
  /// A text that is written in the source.
  public init(stringLiteral text: String) { wrappedValue = text }
  /// Reads the text.
  public init(from decoder: any Decoder) throws { wrappedValue = try String(from: decoder) }
  /// Writes the text.
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }

  /// The text.
  public var description: String { wrappedValue }

  /// Whether the bytes are the same.
  public static func == (left: ExactText, right: ExactText) -> Bool {
    left.wrappedValue.utf8.elementsEqual(right.wrappedValue.utf8)
  }

  /// By the bytes, as SQLite sorts.
  public static func < (left: ExactText, right: ExactText) -> Bool {
    left.wrappedValue.utf8.lexicographicallyPrecedes(right.wrappedValue.utf8)
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    var text = wrappedValue
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(wrappedValue.utf8.count)
  }
}

extension String {
  /// Whether both have the same bytes: see ``ExactText``.
  package func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
  package func isExactly(_ other: String?) -> Bool { other.map(isExactly) ?? false }
}
