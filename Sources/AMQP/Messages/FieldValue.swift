/// Named values: the headers of a message, or the arguments of a declaration. Of a key that occurs twice the last
/// stays.
package typealias FieldTable = [String: FieldValue]

/// One value of a field table.
///
/// AMQP's integers of all widths are read as `int`, its floating numbers as `double`, and written in the widest form.
package enum FieldValue: Sendable, Hashable {
  case string(String)
  /// A byte array, or a long string that is not UTF-8. It is written as a byte array.
  case bytes([UInt8])
  case int(Int64)
  case double(Double)
  case bool(Bool)
  /// Seconds since 1970 in UTC.
  case timestamp(UInt64)
  case table(FieldTable)
  case array([FieldValue])
  case void
  /// A value that this client cannot read. `kind` is the letter of its type on the wire. The value cannot be written.
  case unsupported(kind: UInt8)
}

extension FieldValue {
  /// The text of a string; `nil` for any other kind.
  package var string: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  /// The number of an integer; `nil` for any other kind.
  package var int: Int64? {
    guard case .int(let value) = self else { return nil }
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
