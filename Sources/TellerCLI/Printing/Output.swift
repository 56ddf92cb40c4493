import Foundation
import Synchronization

/// Standard output and standard error, a line at a time.
enum Output {
  /// Lines of several tasks never mix.
  private static let turn = Mutex(())

  /// A line of the answer.
  static func line(_ text: String) { write(text, to: .standardOutput) }

  /// A value as one line of JSON.
  static func json(_ value: some Encodable) throws { line(try JSONLine.text(value)) }

  /// A line for the person who runs the command: errors, and what is being waited for.
  static func note(_ text: String) { write("teller: \(text)", to: .standardError) }

  private static func write(_ text: String, to file: FileHandle) {
    // Nobody reads any more (`| head`): nothing is left to be said, and the command ends when its work does.
    turn.withLock { _ in try? file.write(contentsOf: Data((text + "\n").utf8)) }
  }
}
