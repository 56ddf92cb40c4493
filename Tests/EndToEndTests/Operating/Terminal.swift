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
  func tellerOnTerminal(_ arguments: [String]) throws -> Terminal {
    let teller = try BuiltProducts.url("teller").path
    return Terminal(try launchClient("terminal.py", [String(Terminal.columns), teller] + arguments))
  }
}
