import Foundation
import Synchronization

/// Standard output and standard error, a line at a time.
enum Output {
  /// The line that tells how far something has come, while there is one. Lines of several tasks never mix.
  private static let progress = Mutex<String?>(nil)
  private static let isAnswerRead = Mutex(true)

  /// False from when whoever read standard output has gone away (`| head`): nothing is left to be said.
  static var isRead: Bool { isAnswerRead.withLock { $0 } }

  /// A line of the answer.
  static func line(_ text: String) { write(text + "\n", to: .standardOutput) }

  /// A value as one line of JSON.
  static func json(_ value: some Encodable) throws { line(try JSONLine.text(value)) }

  /// A line for the person who runs the command: errors, and what is being waited for.
  static func note(_ text: String) { write("teller: \(text)\n", to: .standardError) }

  /// A question to that person; the answer stands behind it, and is its end.
  static func question(_ text: String) {
    LineEnd.isOpen(true)
    write(text + " ", to: .standardError)
  }

  /// The question was answered. Usually a line's end is the answer's last character; whoever only ends the input leaves
  /// the cursor behind the question.
  static func answered(_ answer: String) {
    LineEnd.isOpen(false)
    if answer.last?.isNewline != true { write("\n", to: .standardError) }
  }

  /// Rewrites the line that tells how far something has come, no wider than the terminal is now; nil takes it away.
  /// Other lines are written above it.
  static func progress(_ text: String?) {
    progress.withLock { present in
      erase(present)
      present = text
      LineEnd.isOpen(text != nil)
      draw(present)
    }
  }

  /// The text as it fits into one line: in the last column some terminals begin the next one.
  static func fitting(_ text: String, columns: Int) -> String { String(text.prefix(max(0, columns - 1))) }

  private static func write(_ text: String, to file: FileHandle) {
    progress.withLock { present in
      erase(present)
      put(text, to: file)
      draw(present)
    }
  }

  private static func erase(_ progress: String?) {
    if progress != nil { put("\r\u{1B}[K", to: .standardError) }
  }

  private static func draw(_ progress: String?) {
    guard let text = progress, let columns = TerminalSize.progressColumns else { return }
    put(fitting(text, columns: columns), to: .standardError)
  }

  private static func put(_ text: String, to file: FileHandle) {
    do {
      try file.write(contentsOf: Data(text.utf8))
    } catch {
      // A command that has work to do goes on with it; one that only tells of things ends.
      if file.fileDescriptor == STDOUT_FILENO { isAnswerRead.withLock { $0 = false } }
    }
  }
}
