extension String {
  /// The text of these bytes; nil if they are not UTF-8. Nearly all texts of a message are ASCII, and ASCII is always
  /// UTF-8. `String(validating:as:)` is slow for short texts, so only other texts go through it.
  package init?(utf8 bytes: ArraySlice<UInt8>) {
    if bytes.allSatisfy({ $0 < 0x80 }) {
      self.init(decoding: bytes, as: UTF8.self)
    } else {
      self.init(validating: bytes, as: UTF8.self)
    }
  }
}
