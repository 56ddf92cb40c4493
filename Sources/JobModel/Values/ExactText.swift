import Foundation

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
    left.wrappedValue.isExactly(right.wrappedValue)
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
  package func isExactly(_ other: String) -> Bool {
    // Of every job some names and workers are compared, and byte by byte that takes a percent of the coordinator's time.
    let areSame = utf8.withContiguousStorageIfAvailable { bytes in
      other.utf8.withContiguousStorageIfAvailable { areEqual(bytes, $0) }
    }
    return areSame.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
  }
  package func isExactly(_ other: String?) -> Bool { other.map(isExactly) ?? false }
}

private func areEqual(_ some: UnsafeBufferPointer<UInt8>, _ others: UnsafeBufferPointer<UInt8>) -> Bool {
  guard some.count == others.count else { return false }
  // What has no address is empty.
  guard let first = some.baseAddress, let second = others.baseAddress else { return true }
  return memcmp(first, second, some.count) == 0
}
