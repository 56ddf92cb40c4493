import Foundation
import JobModel
import Teller

/// The tokens by which people sign in. The file has a line for each, `NAME ROLE SHA256`: the digest of the token in
/// hexadecimal digits, so that nobody who reads the file can sign in. Behind `#` stands a remark.
///
///     # openssl rand -hex 32 | tee token | tr -d '\n' | sha256sum
///     anna operator bdfefda10f96137bb78ac7881080e53dc637950dd605e6606db1c50392ae7166
struct Tokens: Hashable, Sendable {
  private struct Token: Hashable, Sendable {
    let person: PagePerson
    let digest: [UInt8]
  }

  /// The largest file of tokens, in bytes.
  static let fileLimit = 256 * 1024
  /// The longest token that is looked at, in bytes.
  static let longest = 1_024

  private let all: [Token]

  /// Reads the lines of a file.
  ///
  /// - Throws: `ConfigurationError.invalid`, with the line.
  init(_ text: String, file: String) throws(ConfigurationError) {
    var all: [Token] = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
      if words.isEmpty { continue }
      do throws(Problem) {
        all.append(try Tokens.token(words))
      } catch {
        throw .invalid(file: file, line: index + 1, problem: error.text)
      }
    }
    if all.isEmpty { throw .unreadable(file: file, reason: "it has no token: write a line NAME ROLE SHA256") }
    self.all = all
  }

  /// Reads a file. Blocks the calling thread until it is read, for a few seconds at most.
  ///
  /// - Throws: `ConfigurationError`, when it cannot be read, is wrong, or everybody may write it.
  init(file: String) throws(ConfigurationError) {
    let content = try SmallFile.content(of: file, limit: Tokens.fileLimit)
    if content.permissions & Tokens.writableByAll != 0 {
      let reason = "every user of this machine may write it, and let themselves in: `chmod o-w` it"
      throw .unreadable(file: file, reason: reason)
    }
    try self.init(content.text, file: file)
  }

  /// What to say of a file that every user of this machine may read; nil: not every one may.
  static func warning(of file: String) -> String? {
    if mode(of: file) & readableByAll == 0 { return nil }
    return "every user of this machine may read \(file), and guess at weak tokens: `chmod o-r` it"
  }

  private static let readableByAll = 0o004
  private static let writableByAll = 0o002

  /// What users may do with a file, or with the one that a link leads to; 0: there is none.
  private static func mode(of file: String) -> Int {
    let path = URL(filePath: file).resolvingSymlinksInPath().path
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0
  }

  /// Names a token; nobody can make the token from it.
  typealias ID = [UInt8]

  /// The ids of all tokens.
  var ids: Set<ID> { Set(all.map(\.digest)) }

  static func id(of token: String) -> ID { Digest.sha256(of: Array(token.utf8)) }

  /// Who has that token; nil: nobody. It takes the same time whichever it is.
  func person(of token: String) -> PagePerson? {
    if token.utf8.count > Tokens.longest { return nil }
    let digest = Digest.sha256(of: Array(token.utf8))
    return all.reduce(nil) { found, token in Digest.isEqual(token.digest, digest) ? token.person : found }
  }

  private struct Problem: Error { let text: String }

  private static func token(_ words: [Substring]) throws(Problem) -> Token {
    guard words.count == 3 else { throw Problem(text: "a line is NAME ROLE SHA256") }
    guard let name = OperatorName(String(words[0])) else {
      throw Problem(text: "a name has \(OperatorName.form)")
    }
    guard let role = PagePerson.Role(rawValue: String(words[1])) else {
      throw Problem(text: "the role is viewer or operator, not \"\(words[1].prefix(OperatorName.longest))\"")
    }
    guard let digest = digest(words[2]) else {
      throw Problem(text: "the third word is no SHA-256: `printf %s TOKEN | sha256sum` prints 64 hexadecimal digits")
    }
    return Token(person: PagePerson(name: name.name, role: role), digest: digest)
  }

  private static func digest(_ text: Substring) -> [UInt8]? {
    let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count == 64, text.utf8.count == 64 else { return nil }
    return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
