internal import CRabbitMQ

/// Memory for the texts and tables of one call to the C library. They are copied in, and released together.
///
/// The bytes of a Swift string are valid in a closure only. Without copies each message would need a dozen nested ones.
final class WireArena {
  private static let pageSize = 16 << 10

  private let pool: UnsafeMutablePointer<amqp_pool_t>

  init() {
    pool = .allocate(capacity: 1)
    init_amqp_pool(pool, Self.pageSize)
  }

  deinit {
    empty_amqp_pool(pool)
    pool.deallocate()
  }

  /// Makes every earlier copy invalid.
  func recycle() { recycle_amqp_pool(pool) }

  func text(_ text: String) throws(AMQPError) -> amqp_bytes_t {
    if text.isEmpty { return amqp_empty_bytes }
    var text = text
    let copy = text.withUTF8 { copied(UnsafeRawBufferPointer($0)) }
    guard let copy else { throw Self.outOfMemory }
    return copy
  }

  func table(_ table: FieldTable) throws(AMQPError) -> amqp_table_t {
    if table.isEmpty { return amqp_empty_table }
    let entries = try allocate(amqp_table_entry_t.self, count: table.count)
    var next = entries
    for (key, value) in table {
      next.initialize(to: amqp_table_entry_t(key: try text(key), value: try field(value)))
      next += 1
    }
    return amqp_table_t(num_entries: Int32(clamping: table.count), entries: entries)
  }

  private func array(_ values: [FieldValue]) throws(AMQPError) -> amqp_array_t {
    if values.isEmpty { return amqp_empty_array }
    let entries = try allocate(amqp_field_value_t.self, count: values.count)
    var next = entries
    for value in values {
      next.initialize(to: try field(value))
      next += 1
    }
    return amqp_array_t(num_entries: Int32(clamping: values.count), entries: entries)
  }

  private func field(_ value: FieldValue) throws(AMQPError) -> amqp_field_value_t {
    var field = amqp_field_value_t()
    // The kinds are letters on the wire.
    switch value {
    case .string(let value): (field.kind, field.value.bytes) = (UInt8(ascii: "S"), try text(value))
    case .bytes(let value): (field.kind, field.value.bytes) = (UInt8(ascii: "x"), try bytes(value))
    case .int(let value): (field.kind, field.value.i64) = (UInt8(ascii: "l"), value)
    case .double(let value): (field.kind, field.value.f64) = (UInt8(ascii: "d"), value)
    case .bool(let value): (field.kind, field.value.boolean) = (UInt8(ascii: "t"), value ? 1 : 0)
    case .timestamp(let value): (field.kind, field.value.u64) = (UInt8(ascii: "T"), value)
    case .table(let value): (field.kind, field.value.table) = (UInt8(ascii: "F"), try table(value))
    case .array(let value): (field.kind, field.value.array) = (UInt8(ascii: "A"), try array(value))
    case .void: field.kind = UInt8(ascii: "V")
    case .unsupported: throw .invalid(reason: "a header value that could not be read cannot be written")
    }
    return field
  }

  private func bytes(_ bytes: [UInt8]) throws(AMQPError) -> amqp_bytes_t {
    if bytes.isEmpty { return amqp_empty_bytes }
    guard let copy = bytes.withUnsafeBytes({ copied($0) }) else { throw Self.outOfMemory }
    return copy
  }

  private func copied(_ source: UnsafeRawBufferPointer) -> amqp_bytes_t? {
    guard let memory = amqp_pool_alloc(pool, source.count) else { return nil }
    UnsafeMutableRawBufferPointer(start: memory, count: source.count).copyMemory(from: source)
    return amqp_bytes_t(len: source.count, bytes: memory)
  }

  private func allocate<T>(_ type: T.Type, count: Int) throws(AMQPError) -> UnsafeMutablePointer<T> {
    guard let memory = amqp_pool_alloc(pool, count * MemoryLayout<T>.stride) else { throw Self.outOfMemory }
    return memory.bindMemory(to: type, capacity: count)
  }

  private static var outOfMemory: AMQPError { .invalid(reason: "there is no memory left to send it") }
}

extension amqp_basic_properties_t {
  /// The properties for the C library, with texts and headers copied into the arena. `user` replaces their own user.
  init(
    _ properties: MessageProperties, isTransient: Bool, user: String?, arena: WireArena
  ) throws(AMQPError) {
    self.init()
    let text = { (text: String?, flag: Int32, flags: inout amqp_flags_t) throws(AMQPError) -> amqp_bytes_t in
      guard let text else { return amqp_empty_bytes }
      flags |= amqp_flags_t(flag)
      return try arena.text(text)
    }
    var flags = amqp_flags_t(AMQP_BASIC_DELIVERY_MODE_FLAG)
    delivery_mode = isTransient ? 1 : 2
    content_type = try text(properties.contentType, AMQP_BASIC_CONTENT_TYPE_FLAG, &flags)
    content_encoding = try text(properties.contentEncoding, AMQP_BASIC_CONTENT_ENCODING_FLAG, &flags)
    correlation_id = try text(properties.correlationID, AMQP_BASIC_CORRELATION_ID_FLAG, &flags)
    reply_to = try text(properties.replyTo, AMQP_BASIC_REPLY_TO_FLAG, &flags)
    expiration = try text(properties.expiration, AMQP_BASIC_EXPIRATION_FLAG, &flags)
    message_id = try text(properties.messageID, AMQP_BASIC_MESSAGE_ID_FLAG, &flags)
    type = try text(properties.type, AMQP_BASIC_TYPE_FLAG, &flags)
    user_id = try text(user, AMQP_BASIC_USER_ID_FLAG, &flags)
    app_id = try text(properties.appID, AMQP_BASIC_APP_ID_FLAG, &flags)
    if let priority = properties.priority {
      (self.priority, flags) = (priority, flags | amqp_flags_t(AMQP_BASIC_PRIORITY_FLAG))
    }
    if let timestamp = properties.timestamp {
      (self.timestamp, flags) = (timestamp, flags | amqp_flags_t(AMQP_BASIC_TIMESTAMP_FLAG))
    }
    if !properties.headers.isEmpty {
      (headers, flags) = (try arena.table(properties.headers), flags | amqp_flags_t(AMQP_BASIC_HEADERS_FLAG))
    }
    _flags = flags
  }
}
