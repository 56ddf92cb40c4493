internal import CRabbitMQ

/// Copies field tables out of the C library's memory, within limits.
///
/// The recursion is as deep as the limit, not as deep as the table.
struct TableReader {
  /// Each problem once, however often it occurs.
  private(set) var problems: [PropertyProblem] = []
  private var count: HeaderCount

  init(limits: HeaderLimits) { count = HeaderCount(limits: limits) }

  mutating func read(_ table: amqp_table_t) -> FieldTable { read(table, depth: 1) ?? [:] }

  private mutating func read(_ table: amqp_table_t, depth: Int) -> FieldTable? {
    guard allows(count.reach(depth: depth)) else { return nil }
    var result: FieldTable = [:]
    for entry in UnsafeBufferPointer(start: table.entries, count: Int(max(0, table.num_entries))) where !count.isFull {
      guard let key = readKey(entry.key), let value = read(entry.value, depth: depth) else { continue }
      if let known = result.index(forKey: key), !result.keys[known].utf8.elementsEqual(key.utf8) {
        report(.headerKeysAlike)
      }
      result[key] = value
    }
    return result
  }

  private mutating func readKey(_ key: amqp_bytes_t) -> String? {
    guard key.len > 0 else {
      report(.emptyHeaderKey)
      return nil
    }
    guard allows(count.add(bytes: key.len)) else { return nil }
    guard let text = key.text else {
      report(.headerKeyNotUTF8)
      return nil
    }
    return text
  }

  private mutating func read(_ field: amqp_field_value_t, depth: Int) -> FieldValue? {
    guard allows(count.addEntry()) else { return nil }
    // The kinds are letters on the wire.
    switch UInt8(field.kind) {
    case UInt8(ascii: "S"), UInt8(ascii: "x"): return readLong(field)
    case UInt8(ascii: "F"): return read(field.value.table, depth: depth + 1).map { .table($0) }
    case UInt8(ascii: "A"): return read(field.value.array, depth: depth + 1).map { .array($0) }
    case UInt8(ascii: "V"): return .void
    default: return allows(count.add(bytes: field.wireSize)) ? field.scalar : nil
    }
  }

  private mutating func readLong(_ field: amqp_field_value_t) -> FieldValue? {
    let content = field.value.bytes
    guard allows(count.add(bytes: content.len)) else { return nil }
    if field.kind == UInt8(ascii: "S"), let text = content.text { return .string(text) }
    return .bytes(Array(content.buffer))
  }

  private mutating func read(_ array: amqp_array_t, depth: Int) -> [FieldValue]? {
    guard allows(count.reach(depth: depth)) else { return nil }
    var result: [FieldValue] = []
    for field in UnsafeBufferPointer(start: array.entries, count: Int(max(0, array.num_entries))) where !count.isFull {
      if let value = read(field, depth: depth) { result.append(value) }
    }
    return result
  }

  private mutating func allows(_ problem: PropertyProblem?) -> Bool {
    guard let problem else { return true }
    report(problem)
    return false
  }

  private mutating func report(_ problem: PropertyProblem) {
    if !problems.contains(problem) { problems.append(problem) }
  }
}

extension amqp_field_value_t {
  /// The bytes of a value of fixed size.
  fileprivate var wireSize: Int {
    switch UInt8(kind) {
    case UInt8(ascii: "t"), UInt8(ascii: "b"), UInt8(ascii: "B"): 1
    case UInt8(ascii: "s"), UInt8(ascii: "u"): 2
    case UInt8(ascii: "I"), UInt8(ascii: "i"), UInt8(ascii: "f"): 4
    default: 8
    }
  }

  fileprivate var scalar: FieldValue {
    switch UInt8(kind) {
    case UInt8(ascii: "t"): .bool(value.boolean != 0)
    case UInt8(ascii: "b"): .int(Int64(value.i8))
    case UInt8(ascii: "B"): .int(Int64(value.u8))
    case UInt8(ascii: "s"): .int(Int64(value.i16))
    case UInt8(ascii: "u"): .int(Int64(value.u16))
    case UInt8(ascii: "I"): .int(Int64(value.i32))
    case UInt8(ascii: "i"): .int(Int64(value.u32))
    case UInt8(ascii: "l"): .int(value.i64)
    case UInt8(ascii: "L"): Int64(exactly: value.u64).map { .int($0) } ?? .unsupported(kind: UInt8(kind))
    case UInt8(ascii: "f"): .double(Double(value.f32))
    case UInt8(ascii: "d"): .double(value.f64)
    case UInt8(ascii: "T"): .timestamp(value.u64)
    default: .unsupported(kind: UInt8(kind))
    }
  }
}

extension amqp_bytes_t {
  /// The bytes. They are valid until the C library releases the frame.
  var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : len) }
  /// A copy as text; `nil` if the bytes are not UTF-8. Nearly all texts of a message are ASCII. An ASCII text needs no
  /// validation, which is slow for short texts.
  var text: String? {
    buffer.allSatisfy { $0 < 0x80 }
      ? String(decoding: buffer, as: UTF8.self) : String(validating: buffer, as: UTF8.self)
  }
  /// A copy as text for people: bytes that are not UTF-8 are replaced.
  var repairedText: String { String(decoding: buffer, as: UTF8.self) }
}
