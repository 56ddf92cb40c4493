/// How large a field table may be, in both directions. A small frame can nest tables thousands of levels deep.
package struct HeaderLimits: Sendable, Hashable {
  /// How deep tables and arrays may nest; a header of the message itself has depth 1.
  package var depth: Int = 8
  /// How many values the headers of a message may hold, nested values included.
  package var entries: Int = 128
  /// How many bytes the keys and values of a message's headers may have together.
  package var bytes: Int = 16 << 10
}

/// Counts one field table against the limits. A table that is read and a table that is written count the same.
///
/// Each function returns the problem if the table is over a limit now.
struct HeaderCount {
  let limits: HeaderLimits
  private var entries = 0
  private var bytes = 0

  init(limits: HeaderLimits) { self.limits = limits }

  /// Whether the table is over the limit of its entries or its bytes: nothing more may be added.
  var isFull: Bool { entries > limits.entries || bytes > limits.bytes }

  func reach(depth: Int) -> PropertyProblem? {
    depth > limits.depth ? .headersTooDeep(limit: limits.depth) : nil
  }

  mutating func addEntry() -> PropertyProblem? {
    entries += 1
    return entries > limits.entries ? .tooManyHeaders(limit: limits.entries) : nil
  }

  mutating func add(bytes count: Int) -> PropertyProblem? {
    bytes += count
    return bytes > limits.bytes ? .headersTooLarge(limit: limits.bytes) : nil
  }
}

/// The bounds that AMQP's encoding itself sets.
enum WireLimits {
  /// The longest short string in bytes. Names, routing keys, text properties and keys of tables are short strings.
  static let shortString = 255
  /// The bytes of a header frame beside its properties: seven of the frame itself, its end, the class, the weight, the
  /// body's size and the flags.
  static let headerFrameOverhead = 22
}
