import Dispatch
import Foundation
import Processes
import Synchronization
import TestSupport
import Testing

@Suite("A file that is read within a limit", .timeLimit(.minutes(10)))
struct FileReadsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("has one thread while the file system hangs, fails at its limit, and is read anew once that answers")
  func hanging() async throws {
    let starts = Mutex(0)
    let answers = DispatchSemaphore(value: 0)
    let content = FileContent(bytes: [1], permissions: 0o600, isRegular: true)
    let reads = FileReads { _, _, _ in
      starts.withLock { $0 += 1 }
      answers.wait()
      return content
    }
    for _ in 1...3 {
      #expect(throws: FileProblem.notInTime) { try reads.content(of: "file", atMost: 1, within: .milliseconds(20)) }
    }
    try await eventually("the thread", within: patience) { starts.withLock { $0 } == 1 }
    // One for the reading that hangs, one for the next.
    for _ in 1...2 { answers.signal() }
    try await eventually("another reading", within: patience) {
      try reads.content(of: "file", atMost: 1, within: patience) == content && starts.withLock { $0 } == 2
    }
  }

  @Test("is read anew after a reading that came to its limit and ended a little later")
  func late() throws {
    let starts = Mutex(0)
    let reads = FileReads { _, _, deadline throws(FileProblem) in
      starts.withLock { $0 += 1 }
      Thread.sleep(until: Date(timeIntervalSinceNow: ContinuousClock.now.duration(to: deadline) / .seconds(1) + 0.05))
      throw .notInTime
    }
    for count in 1...3 {
      #expect(throws: FileProblem.notInTime) { try reads.content(of: "pipe", atMost: 1, within: .milliseconds(20)) }
      #expect(starts.withLock { $0 } == count)
    }
  }

  @Test("is whole, or its beginning, and says whether it can be read again")
  func regular() throws {
    let file = folder.appending("file")
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
    try Data(bytes).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
    let whole = try FileReads.shared.content(of: file.path, atMost: 1 << 20, within: patience)
    #expect(whole == FileContent(bytes: bytes, permissions: 0o640, isRegular: true))
    let first = try FileReads.shared.content(of: file.path, atMost: 100_000, within: patience)
    #expect(first.bytes == Array(bytes.prefix(100_000)))
  }

  @Test("that is a pipe is read to its end; one that nobody writes into fails at the limit, time after time")
  func pipe() async throws {
    let file = folder.appending("pipe").path
    try #require(mkfifo(file, 0o600) == 0)
    for _ in 1...2 {
      #expect(throws: FileProblem.notInTime) {
        try FileReads.shared.content(of: file, atMost: 9, within: .milliseconds(20))
      }
    }
    // A pipe can be opened for reading and writing without anybody else.
    let both = open(file, O_RDWR | O_CLOEXEC)
    try #require(both >= 0)
    defer { close(both) }
    try await eventually("what was written", within: patience) {
      // Each time: a reading that just comes to its limit may still take it.
      guard write(both, "abc", 3) == 3 else { return false }
      return try FileReads.shared.content(of: file, atMost: 3, within: .seconds(1))
        == FileContent(bytes: Array("abc".utf8), permissions: 0o600, isRegular: false)
    }
  }

  @Test("that is none, or a folder, is called so")
  func unusable() throws {
    let missing = folder.appending("missing").path
    #expect(throws: FileProblem.system(ENOENT)) {
      try FileReads.shared.content(of: missing, atMost: 1, within: patience)
    }
    #expect(throws: FileProblem.system(EISDIR)) {
      try FileReads.shared.content(of: folder.url.path, atMost: 1, within: patience)
    }
  }
}
