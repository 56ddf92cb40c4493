import Dispatch
import Foundation
import Processes
import Synchronization
import TestSupport
import Testing

/// A pipe, whose reader may be stuck.
private final class LogPipe {
  let (reading, writing): (Int32, Int32)
  private var text: [UInt8] = []

  init() throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    (reading, writing) = (ends[0], ends[1])
  }

  // With nothing in a writer: its thread would write into whatever is opened next.
  deinit {
    close(reading)
    close(writing)
  }

  /// Lets a write fail instead of waiting while the pipe is full.
  func block(_ isBlocking: Bool) {
    let flags = fcntl(writing, F_GETFL)
    _ = fcntl(writing, F_SETFL, isBlocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK)
  }

  /// Fills it up to its capacity.
  func fill(with line: String = LogPipe.filler) {
    block(false)
    // Whole lines, then the room that is left for less.
    for part in [Array((line + "\n").utf8), [UInt8(ascii: "\n")]] {
      while part.withUnsafeBytes({ write(writing, $0.baseAddress, $0.count) }) > 0 {}
    }
    block(true)
  }

  /// What a full pipe is filled with. So long that a page of the pipe holds nothing else.
  static let filler = String(repeating: "x", count: 4095)

  /// The next line, without what the pipe was filled with.
  func line() throws -> String {
    while true {
      while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: text[..<end], as: UTF8.self)
        text.removeSubrange(...end)
        if !line.isEmpty, line != LogPipe.filler { return line }
      }
      try more()
    }
  }

  /// The next lines.
  func lines(_ count: Int) throws -> [String] { try (0..<count).map { _ in try line() } }

  private func more() throws {
    var request = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
    let limit = Int32(patience.components.seconds) * 1000
    guard poll(&request, 1, limit) > 0 else {
      throw TimeLimitExceeded(name: "a line", limit: patience, lastState: String(decoding: text, as: UTF8.self))
    }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = buffer.withUnsafeMutableBytes { read(reading, $0.baseAddress, $0.count) }
    guard count > 0 else { throw POSIXError(.EPIPE) }
    text += buffer.prefix(count)
  }
}

@Suite("The writer of a log", .timeLimit(.minutes(10)))
struct LogWriterTests {
  @Test("makes nobody wait for a reader that is stuck: it drops lines, and says how many when it is read again")
  func stuck() throws {
    let pipe = try LogPipe()
    pipe.fill()
    let writer = LogWriter(to: pipe.writing, limits: LogWriter.Limits(lines: 5))
    for number in 1...100 { writer.add("line \(number)\n") }
    var lines = [try pipe.line()]
    while lines.last?.hasPrefix("line") == true { lines.append(try pipe.line()) }
    let kept = lines.count - 1
    // One more than the limit may be under way.
    #expect((5...6).contains(kept), "\(lines)")
    #expect(lines == (1...max(1, kept)).map { "line \($0)" } + [LogWriter.note(onDropped: 100 - kept)])
    #expect(writer.flush(within: patience))
    writer.add("later\n")
    #expect(try pipe.line() == "later")
    #expect(writer.flush(within: patience))
  }

  @Test("drops lines that are too many bytes, but takes a long one when no other one waits")
  func bytes() throws {
    let pipe = try LogPipe()
    let writer = LogWriter(to: pipe.writing, limits: LogWriter.Limits(bytes: 100))
    let long = String(repeating: "y", count: 300)
    writer.add(long + "\n")
    #expect(try pipe.line() == long)
    #expect(writer.flush(within: patience))
    pipe.fill()
    let line = String(repeating: "z", count: 39)
    for _ in 1...10 { writer.add(line + "\n") }
    var kept = 0
    var last = try pipe.line()
    while last == line {
      kept += 1
      last = try pipe.line()
    }
    #expect((2...3).contains(kept))
    #expect(last == LogWriter.note(onDropped: 10 - kept))
    #expect(writer.flush(within: patience))
  }

  @Test("says how many lines were dropped in words that fit the number")
  func words() {
    #expect(LogWriter.note(onDropped: 1) == "1 line of the log was dropped, because nobody read it")
    #expect(LogWriter.note(onDropped: 20) == "20 lines of the log were dropped, because nobody read them")
  }

  @Test("keeps lines whole, and those of a thread in their order")
  func order() throws {
    let pipe = try LogPipe()
    let writer = LogWriter(to: pipe.writing)
    // All of them are less than a pipe takes.
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for number in 0..<500 { writer.add("\(thread) \(number)\n") }
    }
    let lines = try pipe.lines(2000).map { $0.split(separator: " ").compactMap { Int($0) } }
    #expect(lines.allSatisfy { $0.count == 2 })
    for thread in 0..<4 {
      let numbers = lines.filter { $0.first == thread }.compactMap(\.last)
      #expect(numbers == Array(0..<500))
    }
    #expect(writer.flush(within: patience))
  }

  @Test("writes at the end what waits, and gives up a reader that is stuck after the limit")
  func end() throws {
    let pipe = try LogPipe()
    let writer = LogWriter(to: pipe.writing)
    for number in 1...10 { writer.add("line \(number)\n") }
    #expect(writer.flush(within: patience))
    #expect(try pipe.lines(10) == (1...10).map { "line \($0)" })
    pipe.fill()
    writer.add("last\n")
    let began = ContinuousClock.now
    #expect(!writer.flush(within: .milliseconds(200)))
    #expect(began.duration(to: .now) < patience)
    #expect(try pipe.line() == "last")
    #expect(writer.flush(within: patience))
  }

  @Test("loses the lines that a descriptor refuses, and tries none of them again")
  func refused() throws {
    let closed = LogWriter(to: -1)
    for _ in 1...100 { closed.add("line\n") }
    #expect(closed.flush(within: patience))
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    close(ends[0])
    let unread = LogWriter(to: ends[1])
    for _ in 1...100 { unread.add("line\n") }
    #expect(unread.flush(within: patience))
    close(ends[1])
  }

  @Test("writes everything to a descriptor that somebody has made one that does not block")
  func nonBlocking() throws {
    let pipe = try LogPipe()
    pipe.fill()
    pipe.block(false)
    let writer = LogWriter(to: pipe.writing)
    for number in 1...10 { writer.add("line \(number)\n") }
    #expect(try pipe.lines(10) == (1...10).map { "line \($0)" })
    #expect(writer.flush(within: patience))
  }

  @Test("makes nobody wait without a thread either, and goes on with one as soon as there is one")
  func shortage() throws {
    let pipe = try LogPipe()
    let hasThreads = Mutex(false)
    let writer = LogWriter(to: pipe.writing) { name, stackSize, body in
      hasThreads.withLock { $0 } ? OwnThread.start(name, stackSize: stackSize, body) : "none is left"
    }
    // More than one write takes for sure.
    let long = String(repeating: "y", count: 2000)
    writer.add(long + "\n")
    #expect(try pipe.line() == long)
    pipe.fill()
    for number in 1...3 { writer.add("line \(number)\n") }
    #expect(!writer.flush(within: .milliseconds(100)))
    hasThreads.withLock { $0 = true }
    writer.add("line 4\n")
    #expect(try pipe.lines(4) == (1...4).map { "line \($0)" })
    #expect(writer.flush(within: patience))
  }

  @Test("writes what waits without a thread at the end")
  func endWithoutThread() throws {
    let pipe = try LogPipe()
    let writer = LogWriter(to: pipe.writing) { _, _, _ in "Resource temporarily unavailable" }
    pipe.fill()
    writer.add("last\n")
    #expect(!writer.flush(within: .zero))
    let reader = Thread { [reading = pipe.reading] in
      var buffer = [UInt8](repeating: 0, count: 1 << 12)
      _ = buffer.withUnsafeMutableBytes { read(reading, $0.baseAddress, $0.count) }
    }
    reader.start()
    #expect(writer.flush(within: patience))
    #expect(try pipe.line() == "last")
  }
}
