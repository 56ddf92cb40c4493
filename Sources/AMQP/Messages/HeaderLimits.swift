/// How large a field table may be, read or written: a small frame can nest thousands of levels deep.
struct HeaderLimits: Sendable, Hashable {
  let depth: Int
  let entries: Int
  let bytes: Int

  init(depth: Int, entries: Int, bytes: Int) {
    self.depth = depth
    self.entries = entries
    self.bytes = bytes
  }

  init(_ options: ConnectionOptions) {
    self.init(depth: options.headerDepth, entries: options.headerEntries, bytes: options.headerBytes)
  }
}

/// The bounds that AMQP's encoding itself sets.
enum WireLimits {
  /// The longest short string in bytes: names, routing keys, text properties and keys of tables.
  static let shortString = 255
  /// What a header frame holds beside its properties: the frame's own seven bytes and its end, the class, the weight,
  /// the body's size and the flags.
  static let headerFrameOverhead = 22
}
