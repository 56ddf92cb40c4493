internal import DequeModule
internal import Foundation

/// Writes the log of a process, and never makes the process wait for the reader.
///
/// A pipe takes about 64 KiB. When its reader is stuck, the next write blocks, and with it whatever has a line to log. So a
/// line goes into a buffer, and a thread of its own writes the buffer to the descriptor, in order. When the buffer is full,
/// lines are dropped until the thread has emptied it. Then one line says how many they were.
///
/// - ``flush(within:)`` writes what is left at the end of the process. A process that is killed, or crashes, loses the lines
///   that its thread has not written yet: usually none, or the last ones.
/// - A line that the descriptor refuses (closed, no reader any more, disk full) is lost, and nothing says so.
/// - While the system gives no thread, callers write themselves what the descriptor takes at once. Another process that
///   fills the same pipe in that moment can then hold them up.
// Unchecked: every stored variable is read and written only while `condition` is locked.
package final class LogWriter: @unchecked Sendable {
  /// What the buffer holds at most, beside the line that is just being written. A line that is longer than the limit is
  /// taken when no other one waits.
  package struct Limits: Sendable {
    /// The bytes of all lines.
    package var bytes: Int
    /// The number of lines.
    package var lines: Int

    /// These limits.
    package init(bytes: Int = 1 << 20, lines: Int = 10_000) { (self.bytes, self.lines) = (bytes, lines) }
  }

  /// How long the end of a process waits for the reader of its log.
  package static let endLimit: Duration = .seconds(1)

  /// The log of this process, on standard error. What is left in it is written when the process calls `exit`, or returns
  /// from `main`, for at most ``endLimit``.
  package static let standardError: LogWriter = {
    atexit { _ = LogWriter.standardError.flush(within: LogWriter.endLimit) }
    return LogWriter(to: STDERR_FILENO)
  }()

  /// Starts a thread; what it returns says why there is none.
  package typealias Start =
    @Sendable (
      _ name: String, _ stackSize: Int, _ body: @escaping @Sendable () -> Void
    ) -> String?

  /// Of the thread, in bytes: it does nothing but write.
  private static let stackSize = 512 << 10
  /// A pipe that is ready for writing takes at least this many bytes at once (POSIX: `PIPE_BUF`).
  private static let sureRoom = 512
  /// How often the end of a process looks again, in seconds, when there is no thread that would tell.
  private static let endPause = 0.02

  private let descriptor: Int32
  private let limits: Limits
  private let start: Start
  private let condition = NSCondition()
  private var waiting: Deque<[UInt8]> = []
  /// Of the lines that wait.
  private var bytes = 0
  /// The lines that were dropped and have not been told of. While there are any, further ones are dropped, too.
  private var dropped = 0
  private var isWriting = false
  private var hasThread = false

  /// A writer, whose thread is started with the first line and stays for ever.
  ///
  /// - Parameters:
  ///   - descriptor: Where it writes; it stays open as long as there are lines.
  ///   - limits: Of the buffer.
  ///   - start: Starts the thread.
  package init(
    to descriptor: Int32, limits: Limits = Limits(),
    start: @escaping Start = { OwnThread.start($0, stackSize: $1, $2) }
  ) {
    (self.descriptor, self.limits, self.start) = (descriptor, limits, start)
  }

  /// Adds a line, or drops it when the buffer is full. Returns at once.
  ///
  /// - Parameter line: With the end of the line.
  package func add(_ line: String) {
    let line = Array(line.utf8)
    condition.lock()
    defer { condition.unlock() }
    if hasRoom(for: line) {
      waiting.append(line)
      bytes += line.count
    } else {
      dropped += 1
    }
    if hasThread || startsThread() { condition.broadcast() } else { writeWhatFits() }
  }

  /// Waits until no line waits any more.
  ///
  /// - Parameter limit: How long, at most.
  /// - Returns: Whether everything is written.
  @discardableResult
  package func flush(within limit: Duration) -> Bool {
    let deadline = ContinuousClock.now + limit
    condition.lock()
    defer { condition.unlock() }
    while true {
      if !hasThread { writeWhatFits() }
      if waiting.isEmpty, dropped == 0, !isWriting { return true }
      let left = ContinuousClock.now.duration(to: deadline) / .seconds(1)
      guard left > 0 else { return false }
      _ = condition.wait(until: Date(timeIntervalSinceNow: hasThread ? left : min(left, LogWriter.endPause)))
    }
  }

  // MARK: The buffer, locked

  private func hasRoom(for line: [UInt8]) -> Bool {
    guard dropped == 0 else { return false }
    return waiting.isEmpty || (waiting.count < limits.lines && bytes + line.count <= limits.bytes)
  }

  /// Takes the next line out; nil: there is none. Behind the last one stands how many were dropped.
  private func next() -> [UInt8]? {
    if let line = waiting.popFirst() {
      bytes -= line.count
      return line
    }
    guard dropped > 0 else { return nil }
    defer { dropped = 0 }
    return Array((LogWriter.note(onDropped: dropped) + "\n").utf8)
  }

  /// What stands in the log in place of lines.
  package static func note(onDropped count: Int) -> String {
    count == 1
      ? "1 line of the log was dropped, because nobody read it"
      : "\(count) lines of the log were dropped, because nobody read them"
  }

  // MARK: The thread

  private func startsThread() -> Bool {
    hasThread = start("teller-log", LogWriter.stackSize) { [self] in run() } == nil
    return hasThread
  }

  private func run() {
    condition.lock()
    while true {
      guard let line = next() else {
        // Whoever flushes.
        condition.broadcast()
        condition.wait()
        continue
      }
      isWriting = true
      condition.unlock()
      put(line)
      condition.lock()
      isWriting = false
    }
  }

  /// Writes a line, and waits for the reader.
  private func put(_ line: [UInt8]) {
    var rest = line[...]
    while !rest.isEmpty {
      switch attempt(rest) {
      case .wrote(let count): rest = rest.dropFirst(count)
      // Somebody has made the descriptor one that does not block.
      case .isFull: _ = takesBytes(withinMilliseconds: -1)
      case .failed: return
      }
    }
  }

  /// Without a thread: writes what the descriptor takes without waiting; locked.
  private func writeWhatFits() {
    while takesBytes(withinMilliseconds: 0), let line = next() {
      switch attempt(line.prefix(LogWriter.sureRoom)) {
      case .wrote(let count): putBack(line.dropFirst(count))
      case .isFull: return putBack(line[...])
      case .failed: break
      }
    }
  }

  private func putBack(_ rest: ArraySlice<UInt8>) {
    guard !rest.isEmpty else { return }
    waiting.prepend(Array(rest))
    bytes += rest.count
  }

  // MARK: The descriptor

  private enum Attempt {
    case wrote(Int)
    /// It takes nothing now, and does not block.
    case isFull
    case failed
  }

  private func attempt(_ bytes: ArraySlice<UInt8>) -> Attempt {
    while true {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { return .wrote(count) }
      guard count < 0 else { return .failed }
      if errno == EINTR { continue }
      return errno == EAGAIN ? .isFull : .failed
    }
  }

  /// Whether a write would not wait; also when it would fail. -1: waits until that is so.
  private func takesBytes(withinMilliseconds limit: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&request, 1, limit) > 0
  }
}

/// The same as a stream, for a log handler that writes each line at once.
package struct LogStream: TextOutputStream, Sendable {
  /// Where the lines go.
  package let writer: LogWriter

  /// A stream into that writer.
  package init(_ writer: LogWriter) { self.writer = writer }

  /// Adds a line, which has its end.
  package func write(_ string: String) { writer.add(string) }
}
