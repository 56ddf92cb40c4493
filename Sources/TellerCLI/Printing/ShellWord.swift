import JobModel

/// A word for a shell.
enum ShellWord {
  private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+=,")

  /// The word, in quotes where the shell would read it as something else.
  static func quoted(_ word: String) -> String {
    if !word.isEmpty, word.allSatisfy(plain.contains) { return word }
    if word.visible != word || word.contains(where: \.isNewline) { return escaped(word) }
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }

  /// With the bytes of all that is not ASCII by their numbers, as bash, zsh and ksh read them (and POSIX 2024, section 2.2.4):
  /// a terminal shows hidden characters in another way.
  private static func escaped(_ word: String) -> String {
    let bytes = word.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\\"): "\\" + String(UnicodeScalar(byte))
      case 0x20..<0x7F: String(UnicodeScalar(byte))
      default: "\\" + octal(byte)
      }
    }
    return "$'" + bytes.joined() + "'"
  }

  private static func octal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 8)
    return String(repeating: "0", count: 3 - digits.count) + digits
  }
}
