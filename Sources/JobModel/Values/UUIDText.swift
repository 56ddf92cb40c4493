import Foundation

/// A UUID's text form (RFC 9562, section 4), written and read by hand: a job's id is written or read a dozen times on its
/// way, and Foundation does that through `printf` and `scanf`, at ten times the cost.
enum UUIDText {
  /// Characters of the text form.
  static let length = 36

  /// In lower case, as it stands on the wire.
  static func write(_ uuid: UUID) -> String {
    String(unsafeUninitializedCapacity: length) { text in
      withUnsafeBytes(of: uuid.uuid) { bytes in
        var next = 0
        for (index, byte) in bytes.enumerated() {
          if isAfterDash(index) {
            text[next] = dash
            next += 1
          }
          text[next] = digit(byte >> 4)
          text[next + 1] = digit(byte & 0x0F)
          next += 2
        }
        return next
      }
    }
  }

  /// - Returns: nil when it is no UUID; case does not matter.
  static func read(_ text: String) -> UUID? {
    var text = text
    return text.withUTF8 { read($0) }
  }

  static func read(_ text: ArraySlice<UInt8>) -> UUID? { text.withUnsafeBufferPointer { read($0) } }

  private static func read(_ text: UnsafeBufferPointer<UInt8>) -> UUID? {
    guard text.count == length else { return nil }
    var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    let isRead = withUnsafeMutableBytes(of: &uuid) { bytes in
      var next = 0
      for index in bytes.indices {
        if isAfterDash(index) {
          guard text[next] == dash else { return false }
          next += 1
        }
        guard let high = value(text[next]), let low = value(text[next + 1]) else { return false }
        bytes[index] = high << 4 | low
        next += 2
      }
      return true
    }
    return isRead ? UUID(uuid: uuid) : nil
  }

  private static let dash = UInt8(ascii: "-")

  /// Whether a dash stands before the byte of that index.
  private static func isAfterDash(_ index: Int) -> Bool { index == 4 || index == 6 || index == 8 || index == 10 }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
