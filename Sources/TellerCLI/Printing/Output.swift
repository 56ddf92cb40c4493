import Foundation
import Synchronization

/// Standard output and standard error, a line at a time.
enum Output {
  /// What stands at the cursor, and is not the end of a line.
  private enum Open {
    /// The line that tells how far something has come.
    case progress(String)
    /// A question; its answer is to stand behind it.
    case question
  }

  /// Lines of several tasks never mix.
  private static let open = Mutex<Open?>(nil)
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
    LineEnd.isKept()
    open.withLock { present in
      put(text + " ", to: .standardError)
      present = .question
    }
  }

  /// The question was answered, with a line's end.
  static func answered() { open.withLock { $0 = nil } }

  /// Rewrites the line that tells how far something has come, no wider than the terminal is now; nil takes it away. Other
  /// lines are written above it.
  static func progress(_ text: String?) {
    if text != nil { LineEnd.isKept() }
    open.withLock { present in
      erase(present)
      present = text.map(Open.progress)
      draw(present)
    }
  }

  /// This process ends at once: what comes next on the terminal begins on a line of its own.
  static func endLine() {
    // Whoever is writing now may be kept by the terminal for ever.
    open.withLockIfAvailable { present in
      if present != nil { put("\n", to: .standardError) }
      present = nil
    }
  }

  /// The text as it fits into one line: in the last column some terminals begin the next one.
  static func fitting(_ text: String, columns: Int) -> String { String(text.prefix(max(0, columns - 1))) }

  private static func write(_ text: String, to file: FileHandle) {
    open.withLock { present in
      erase(present)
      put(text, to: file)
      draw(present)
    }
  }

  private static func erase(_ present: Open?) {
    if case .progress = present { put("\r\u{1B}[K", to: .standardError) }
  }

  private static func draw(_ present: Open?) {
    guard case .progress(let text) = present, let columns = TerminalSize.progressColumns else { return }
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
