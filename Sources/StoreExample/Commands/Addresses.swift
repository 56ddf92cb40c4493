import ArgumentParser
import Foundation

/// The settings of a store's parts, as arguments.
enum StoreArguments {
  /// Reads an address.
  static func address(_ text: String) throws -> URL {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host() != nil else {
      throw ValidationError("\"\(text)\" is no address: write for example http://127.0.0.1:8090.")
    }
    // Paths are put behind it.
    return text.hasSuffix("/") ? URL(string: String(text.dropLast())) ?? url : url
  }

  /// Reads `tea-1=2`.
  static func line(_ text: String) throws -> OrderLine {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, let count = Int(parts[1]), (1...OrderLine.most).contains(count) else {
      throw ValidationError("\"\(text)\" is no line of an order: write for example tea-1=2, at most \(OrderLine.most).")
    }
    return OrderLine(product: String(parts[0]), count: count)
  }

  /// Reads the first line of a file: the address of a chat is a secret, and arguments are seen by everybody.
  static func chat(in file: String) throws -> URL {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8),
      let line = text.split(whereSeparator: \.isNewline).first
    else { throw ValidationError("\(file) cannot be read, or is empty: its first line is the address of the chat.") }
    // Some editors begin a file with a byte-order mark.
    return try address(line.trimmingCharacters(in: .whitespaces.union(CharacterSet(charactersIn: "\u{FEFF}"))))
  }
}
