import Foundation
import SystemSupport
import TestSupport

/// A command of `teller` on a terminal of its own, and a person before it.
struct Terminal {
  private let process: RunningProcess

  static let columns = 100

  fileprivate init(_ process: RunningProcess) { self.process = process }

  /// All that came, control sequences included.
  var text: String {
    process.text(of: .standardOutput)
      .compactMap { try? JSONDecoder().decode(String.self, from: Data($0.utf8)) }.joined()
  }

  /// What a person sees, a line each; the last one is where the shell goes on.
  var screen: [String] { Terminal.screen(of: text) }

  func type(_ text: String) throws {
    try process.write(String(decoding: try JSONEncoder().encode(text), as: UTF8.self) + "\n")
  }

  /// Makes the terminal as large as that. The kernel tells the command so by a signal.
  func resize(columns: Int, rows: Int) throws { try process.write("[\(columns), \(rows)]\n") }

  /// What a view that is drawn again and again has drawn, a text for each time; a text may be in the middle of its way.
  var frames: [String] { text.components(separatedBy: "\u{1B}[H").dropFirst().map { String($0) } }

  /// Waits until a whole frame is as it should be, and returns its lines without what erases old ones.
  @discardableResult
  func waitForFrame(_ what: String, where isRight: ([String]) -> Bool) async throws -> [String] {
    var lines: [String] = []
    try await eventually(what, within: TellerSystem.limit, lastState: { self.text }) {
      guard let last = frames.last(where: { $0.contains("\u{1B}[J") }) else { return false }
      // The terminal puts a carriage return before each line feed.
      let drawn = last.components(separatedBy: "\u{1B}[J")[0].replacing("\r\r\n", with: "\r\n")
      lines = drawn.components(separatedBy: "\u{1B}[K\r\n")
        .map { $0.replacing("\u{1B}[K", with: "") }
      return isRight(lines)
    }
    return lines
  }

  /// Waits until that stands in what came.
  func wait(for text: String) async throws {
    try await eventually("the terminal shows \"\(text)\"", within: TellerSystem.limit, lastState: { self.text }) {
      self.text.contains(text)
    }
  }

  /// The command's exit status.
  func end() async throws -> Int32 { try await process.waitForExit(within: TellerSystem.longLimit) }

  /// Understands the control sequences that `teller` uses: back to the line's beginning, and erase what follows.
  private static func screen(of text: String) -> [String] {
    var lines: [String] = []
    var line: [Character] = []
    var column = 0
    // A carriage return and a line feed would be one character.
    for scalar in text.replacing("\u{1B}[K", with: "\u{7}").unicodeScalars {
      switch scalar {
      case "\r": column = 0
      case "\n":
        lines.append(String(line))
        (line, column) = ([], 0)
      case "\u{7}": line.removeSubrange(min(column, line.count)...)
      default:
        line.replaceSubrange(column..<min(column + 1, line.count), with: [Character(scalar)])
        column += 1
      }
    }
    return lines + [String(line)]
  }
}

extension TellerSystem {
  /// `environment`: what is added to that of the command, such as `["env", "NO_COLOR=1"]`.
  func tellerOnTerminal(_ arguments: [String], environment: [String] = []) throws -> Terminal {
    let teller = try BuiltProducts.url("teller").path
    return Terminal(try launchClient("terminal.py", [String(Terminal.columns)] + environment + [teller] + arguments))
  }
}
