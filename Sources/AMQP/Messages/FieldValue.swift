/// Named values: message headers and the arguments of declarations. A key that occurs twice on the wire keeps its last
/// value.
package typealias FieldTable = [String: FieldValue]

/// One value of a field table.
///
/// AMQP's integer widths are read as `int` and its two floating widths as `double`; both are written in the widest form.
package enum FieldValue: Sendable, Hashable {
  case string(String)
  /// A byte array, or a long string that is not UTF-8. Written as a byte array.
  case bytes([UInt8])
  case int(Int64)
  case double(Double)
  case bool(Bool)
  /// Seconds since 1970 in UTC.
  case timestamp(UInt64)
  case table(FieldTable)
  case array([FieldValue])
  case void
  /// A value that this client does not read, with its type's letter on the wire. It cannot be written.
  case unsupported(kind: UInt8)
}

extension FieldValue {
  /// The text, if this is a string.
  package var string: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  /// The number, if this is an integer.
  package var int: Int64? {
    guard case .int(let value) = self else { return nil }
    return value
  }

  /// The truth value, if this is one.
  package var bool: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }
}

extension FieldValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  package init(stringLiteral value: String) { self = .string(value) }
}

extension FieldValue: ExpressibleByIntegerLiteral {
  package init(integerLiteral value: Int64) { self = .int(value) }
}

extension FieldValue: ExpressibleByFloatLiteral {
  package init(floatLiteral value: Double) { self = .double(value) }
}

extension FieldValue: ExpressibleByBooleanLiteral {
  package init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension FieldValue: ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: FieldValue...) { self = .array(elements) }
}

extension FieldValue: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, FieldValue)...) {
    self = .table(FieldTable(elements, uniquingKeysWith: { $1 }))
  }
}
