import Foundation
import JobModel
import Processes
import Synchronization

/// Standard output and standard error, a line at a time. Lines of several tasks never mix.
enum Output {
  /// The line of progress, while there is one.
  private static let progress = Mutex<String?>(nil)
  /// What became of the answer.
  private enum Answer: Equatable {
    case read
    /// The reader, such as `head`, has gone away.
    case unread
    /// It cannot be written, for a reason in the system's words.
    case unwritten(String)
  }

  private static let answer = Mutex(Answer.read)
  /// The log of a process that serves.
  private static let log = Mutex<LogWriter?>(nil)

  /// Whether standard output has a reader; false once the reader, such as `head`, has gone away, or where there is no room.
  static var isRead: Bool { answer.withLock { $0 == .read } }

  /// Why the answer is not on standard output; nil: it is, or nobody wanted to read on.
  static var problem: String? {
    if case .unwritten(let reason) = answer.withLock({ $0 }) { reason } else { nil }
  }

  /// Sends standard error through the log of the process from now on: what is printed keeps its place between the lines that
  /// are logged, and waits for the reader as little as they do.
  static func sendErrors(through writer: LogWriter) { log.withLock { $0 = writer } }

  /// Prints a line of the answer on standard output. A terminal gets hidden characters by their numbers, whatever they came
  /// with, and our colours.
  static func line(_ text: String) {
    write((isTerminal ? VisibleText.besideColors(text) : text) + "\n", to: .standardOutput)
  }

  /// Prints bytes as they are, without the end of a line. A terminal gets them as text with hidden characters shown: they
  /// are another program's, and would command it.
  static func bytes(_ bytes: [UInt8]) {
    if isTerminal {
      line(String(decoding: bytes, as: UTF8.self).visible)
    } else {
      write(Data(bytes), to: .standardOutput)
    }
  }

  /// Prints a value as one line of JSON. A terminal gets hidden characters as escapes: it is the same value.
  static func json(_ value: some Encodable) throws {
    let text = try PrintedJSON.text(value)
    line(isTerminal ? text.visibleJSON : text)
  }

  private static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Prints a line for the person who runs the command on standard error.
  static func note(_ text: String) { write("teller: \(text.visible)\n", to: .standardError) }

  /// The same of the error that ends the command.
  static func error(_ text: String) {
    write("\(Colors.errors.paint("teller:", .bad)) \(text.visible)\n", to: .standardError)
  }

  /// Draws on the terminal, without the end of a line.
  static func frame(_ text: String) { write(text, to: .standardOutput) }

  /// Prints a line about a place in a file on standard error, as compilers do, so that editors find the place.
  static func place(_ text: String) { write("\(text.visible)\n", to: .standardError) }

  /// Asks that person a question. The answer ends the line.
  static func question(_ text: String) {
    LineEnd.isOpen(true)
    write(text.visible + " ", to: .standardError)
  }

  /// Notes the answer to the question, and ends the line if the answer did not. A person who only ends the input leaves the
  /// cursor behind the question.
  static func answered(_ answer: String) {
    LineEnd.isOpen(false)
    if answer.last?.isNewline != true { write("\n", to: .standardError) }
  }

  /// Rewrites the line of progress, no wider than the terminal is now; nil takes it away. Other lines are printed above it.
  static func progress(_ text: String?) {
    progress.withLock { present in
      erase(present)
      present = text
      LineEnd.isOpen(text != nil)
      draw(present)
    }
  }

  /// The text cut to one line. The last column stays free: there some terminals begin the next line.
  static func fitting(_ text: String, columns: Int) -> String { VisibleText.cut(text, to: max(0, columns - 1)) }

  private static func write(_ text: String, to file: FileHandle) { write(Data(text.utf8), to: file) }

  private static func write(_ bytes: Data, to file: FileHandle) {
    progress.withLock { present in
      erase(present)
      put(bytes, to: file)
      draw(present)
    }
  }

  private static func erase(_ progress: String?) {
    if progress != nil { put(Data("\r\u{1B}[K".utf8), to: .standardError) }
  }

  private static func draw(_ progress: String?) {
    guard let text = progress, let columns = TerminalSize.progressColumns else { return }
    put(Data(fitting(text, columns: columns).utf8), to: .standardError)
  }

  private static func put(_ bytes: Data, to file: FileHandle) {
    if file.fileDescriptor == STDERR_FILENO, let log = log.withLock({ $0 }) {
      return log.add(String(decoding: bytes, as: UTF8.self))
    }
    // A command that has work to do carries on; one that only prints checks `isRead`, and ends.
    guard let code = failure(to: file.fileDescriptor, bytes), file.fileDescriptor == STDOUT_FILENO else { return }
    answer.withLock { $0 = code == EPIPE ? .unread : .unwritten(String(cString: strerror(code))) }
  }

  /// Writes all the bytes; the number of the system's error, if it does not take them.
  private static func failure(to descriptor: Int32, _ bytes: Data) -> Int32? {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
          // The descriptor is shared with a program that does not wait.
          var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = poll(&room, 1, -1)
        } else if errno != EINTR {
          return errno
        }
      }
      return nil
    }
  }
}
