/// The name of a person who operates a system, as a command carries it: `ada`, `ada@example.com`. 1–100 letters and digits
/// of ASCII, and `.`, `-`, `_`, `@`, `+`.
///
/// The name is what the sender of the command says. The broker vouches for its own user only.
public struct OperatorName: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The name itself.
  public let name: String

  /// The longest name, in bytes.
  public static let longest = 100
  package static let form = "1–\(longest) letters and digits, and . - _ @ +"

  /// A name; nil when it is empty, too long, or has other characters.
  public init?(_ name: String) {
    guard (1...OperatorName.longest).contains(name.utf8.count), name.utf8.allSatisfy(OperatorName.isAllowed) else {
      return nil
    }
    self.name = name
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    let scalar = Character(Unicode.Scalar(byte))
    return byte.isDigit || scalar.isASCII && scalar.isLetter || ".-_@+".contains(scalar)
  }

  /// Reads a name, and refuses one that is not valid.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let name = OperatorName(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no name: \(OperatorName.form)")
    }
    self = name
  }

  /// Writes the name.
  public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
  /// The name.
  public var description: String { name }
}
