/// A member that JSON may lack: a missing one is false, or empty. False and an empty object are left out: a presence may
/// list thousands of jobs every two seconds, and few of them are stuck. A list is written even when it is empty.
@propertyWrapper package struct Omissible<Value: OmissibleValue>: Hashable, Codable {
  package var wrappedValue: Value

  package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  package init(from decoder: any Decoder) throws { wrappedValue = try Value(from: decoder) }
  package func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension Omissible: Sendable where Value: Sendable {}

/// What an omissible member can be.
package protocol OmissibleValue: Hashable, Codable {
  /// What a missing member is.
  init()
  /// Whether JSON lacks it.
  var isLeftOut: Bool { get }
}

extension Bool: OmissibleValue {
  package var isLeftOut: Bool { !self }
}

extension Array: OmissibleValue where Element: Hashable & Codable {
  package var isLeftOut: Bool { false }
}

extension Dictionary: OmissibleValue where Key: Codable, Value: Hashable & Codable {
  package var isLeftOut: Bool { isEmpty }
}

// The compiler's own reading and writing of a type calls these two for its omissible members.

extension KeyedDecodingContainer {
  package func decode<Value>(_: Omissible<Value>.Type, forKey key: Key) throws -> Omissible<Value> {
    Omissible(wrappedValue: try decodeIfPresent(Value.self, forKey: key) ?? Value())
  }
}

extension KeyedEncodingContainer {
  package mutating func encode<Value>(_ member: Omissible<Value>, forKey key: Key) throws {
    if !member.wrappedValue.isLeftOut { try encode(member.wrappedValue, forKey: key) }
  }
}
