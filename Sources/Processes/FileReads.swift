internal import Foundation
internal import Synchronization

/// What a file holds.
package struct FileContent: Sendable, Hashable {
  /// All of it, or its beginning.
  package let bytes: [UInt8]
  /// Who may do what with it, as in `chmod`.
  package let permissions: Int
  /// Whether it can be read again. A pipe cannot: it gives each byte once.
  package let isRegular: Bool

  /// This content.
  package init(bytes: [UInt8], permissions: Int, isRegular: Bool) {
    (self.bytes, self.permissions, self.isRegular) = (bytes, permissions, isRegular)
  }
}

/// Why a file cannot be read.
package enum FileProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The system's error number.
  case system(Int32)
  /// It was not read within the limit.
  case notInTime
  /// It has no thread, for this reason of the system's.
  case noThread(String)

  /// For a sentence that has named the file.
  package var description: String {
    switch self {
    case .system(ENOENT): "there is no such file"
    case .system(EISDIR): "it is a folder"
    case .system(EACCES), .system(EPERM): "this user may not read it"
    case .system(let number): String(cString: strerror(number))
    case .notInTime: "it does not answer in time: a file system hangs, or nobody writes into a pipe"
    case .noThread(let reason): "no thread can be started: \(reason)"
    }
  }
}

/// Reads files that may hang, as those of a network do, within a limit.
///
/// The system's call cannot be cancelled, so a thread of its own makes it. While that thread hangs, the file gets no second
/// one: later callers join the reading that is under way. Once its limit and ``grace`` have passed, every call fails at once.
/// The file is read anew once the file system has answered. A pipe holds no thread longer than the limit, and its callers
/// get the result of that thread, which has ended by then: the next call starts a new reading.
package final class FileReads: Sendable {
  /// Reads at most `count` bytes of a file.
  package typealias Read =
    @Sendable (
      _ path: String, _ count: Int, _ deadline: ContinuousClock.Instant
    ) throws(FileProblem) -> FileContent

  /// A file by the bytes of its path, and how much of it is read.
  private struct File: Hashable {
    let path: [UInt8]
    let count: Int
  }

  /// How long a file may take that is needed for a connection, or at the start of a process.
  package static let patience: Duration = .seconds(10)
  /// How much longer callers wait for a thread that ends at the limit by itself, as that of a pipe does.
  package static let grace: Duration = .seconds(2)
  /// Those of this process.
  package static let shared = FileReads(FileReads.content(of:atMost:before:))

  private let body: Read
  private let underWay = Mutex<[File: FileReading]>([:])

  /// Readings that no others join: the body is called once for each, on its thread.
  package init(_ body: @escaping Read) { self.body = body }

  /// Reads a file. Blocks the calling thread until the file is read, or the limit is over.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - count: How many bytes are read at most.
  ///   - limit: How long the reading may take; where the file system hangs, ``grace`` longer. That of a reading which is
  ///     under way stays.
  /// - Returns: What the file holds.
  /// - Throws: `FileProblem`.
  package func content(
    of path: String, atMost count: Int, within limit: Duration
  ) throws(FileProblem) -> FileContent {
    let file = File(path: Array(path.utf8), count: count)
    let (reading, isNew) = underWay.withLock { underWay in
      if let reading = underWay[file] { return (reading, false) }
      let reading = FileReading(until: .now + limit)
      underWay[file] = reading
      return (reading, true)
    }
    if isNew { start(reading, of: file, at: path) }
    return try reading.wait()
  }

  private func start(_ reading: FileReading, of file: File, at path: String) {
    let problem = OwnThread.start("teller-file") { [self] in
      let result = Result { () throws(FileProblem) in try body(path, file.count, reading.deadline) }
      end(reading, of: file, result)
    }
    if let problem { end(reading, of: file, .failure(.noThread(problem))) }
  }

  private func end(_ reading: FileReading, of file: File, _ result: Result<FileContent, FileProblem>) {
    // Removed first, so that a caller who has the content can ask for a newer one.
    underWay.withLock { $0[file] = nil }
    reading.end(result)
  }
}

extension FileReads {
  /// Reads a file on the calling thread.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - count: How many bytes are read at most.
  ///   - deadline: Until when a pipe is waited for. For a file system that hangs it does nothing.
  /// - Returns: What the file holds.
  /// - Throws: `FileProblem`.
  package static func content(
    of path: String, atMost count: Int, before deadline: ContinuousClock.Instant
  ) throws(FileProblem) -> FileContent {
    // Otherwise the call would wait until somebody opens a pipe for writing.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
    let kind = status.st_mode & S_IFMT
    if kind == S_IFDIR { throw .system(EISDIR) }
    var bytes: [UInt8] = []
    while bytes.count < count {
      let part = try part(of: descriptor, atMost: count - bytes.count, before: deadline)
      if part.isEmpty { break }
      bytes += part
    }
    return FileContent(bytes: bytes, permissions: Int(status.st_mode & 0o7777), isRegular: kind == S_IFREG)
  }

  private static let largestPart = 64 << 10

  /// The next bytes; empty: that was all.
  private static func part(
    of descriptor: Int32, atMost count: Int, before deadline: ContinuousClock.Instant
  ) throws(FileProblem) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: min(count, largestPart))
    while true {
      try awaitBytes(of: descriptor, before: deadline)
      let size = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if size >= 0 { return Array(bytes.prefix(size)) }
      guard errno == EINTR || errno == EAGAIN else { throw .system(errno) }
    }
  }

  /// A file is ready at once, a pipe when it has bytes, or no writer any more.
  private static func awaitBytes(
    of descriptor: Int32, before deadline: ContinuousClock.Instant
  ) throws(FileProblem) {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let left = max(0, ContinuousClock.now.duration(to: deadline) / .milliseconds(1))
      let ready = poll(&request, 1, Int32(min(left, longestWait).rounded(.up)))
      if ready > 0 { return }
      if ready < 0, errno != EINTR { throw .system(errno) }
      if left == 0 { throw .notInTime }
    }
  }

  /// In milliseconds; then the deadline is looked at again.
  private static let longestWait = 60_000.0
}

/// A reading of a file, for which any number of threads may wait.
// Unchecked: `result` is read and written only while `condition` is locked.
private final class FileReading: @unchecked Sendable {
  let deadline: ContinuousClock.Instant
  private let condition = NSCondition()
  private var result: Result<FileContent, FileProblem>?

  init(until deadline: ContinuousClock.Instant) { self.deadline = deadline }

  func end(_ result: Result<FileContent, FileProblem>) {
    condition.lock()
    defer { condition.unlock() }
    self.result = result
    condition.broadcast()
  }

  func wait() throws(FileProblem) -> FileContent {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let result { return try result.get() }
      let left = ContinuousClock.now.duration(to: deadline + FileReads.grace) / .seconds(1)
      guard left > 0 else { throw .notInTime }
      _ = condition.wait(until: Date(timeIntervalSinceNow: left))
    }
  }
}
