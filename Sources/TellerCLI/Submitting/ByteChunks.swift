import Dispatch
import Foundation
import Synchronization

/// The bytes of a file, or of standard input, as they come.
struct ByteChunks: Sendable {
  /// The most bytes that are read at once.
  static let size = 256 << 10

  /// How many bytes there are in all; nil when nobody knows, as of a pipe.
  let count: Int?
  private let file: FileHandle
  private let queue = DispatchQueue(label: "teller.reading")

  /// - Parameter path: `-` is standard input.
  /// - Throws: `Failure` when there is no such file.
  init(_ path: String) throws {
    if path == "-" {
      file = .standardInput
    } else if let file = FileHandle(forReadingAtPath: path) {
      self.file = file
    } else {
      throw Failure(.usage, "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    count = ByteChunks.count(file.fileDescriptor)
  }

  private static func count(_ descriptor: Int32) -> Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// What has come since, as soon as there is any; empty at the end.
  ///
  /// - Throws: `Failure` when it cannot be read; `CancellationError`, and then what comes next is lost.
  func next() async throws -> [UInt8] {
    let reading = Reading()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard reading.begin(continuation) else { return }
        // On a thread of its own: whoever writes standard input may take for ever.
        queue.async { reading.end(Result { try ByteChunks.read(file.fileDescriptor) }) }
      }
    } onCancel: {
      reading.end(.failure(CancellationError()))
    }
  }

  private static func read(_ descriptor: Int32) throws -> [UInt8] {
    var result = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      repeat {
        result = Foundation.read(descriptor, buffer.baseAddress, size)
      } while result < 0 && errno == EINTR
      count = max(0, result)
    }
    if result < 0 { throw Failure(.usage, "the input cannot be read: \(String(cString: strerror(errno)))") }
    return bytes
  }

  /// All that is left.
  ///
  /// - Throws: `Failure` when it is more than the limit.
  func all(limit: Int) async throws -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let bytes = try await next()
      if bytes.isEmpty { return all }
      all += bytes
      if all.count > limit, let problem = PayloadCheck.problem(size: all.count) { throw Failure(.usage, problem) }
    }
  }
}

/// One read, and who waits for it: until it ends, or is not wanted any more.
private final class Reading: Sendable {
  private typealias State = (waiting: CheckedContinuation<[UInt8], any Error>?, isOver: Bool)

  private let state = Mutex<State>((nil, false))

  /// - Returns: false when it is over before it has begun; who waits is told.
  func begin(_ continuation: CheckedContinuation<[UInt8], any Error>) -> Bool {
    let isOver = state.withLock { state in
      if !state.isOver { state.waiting = continuation }
      return state.isOver
    }
    if isOver { continuation.resume(throwing: CancellationError()) }
    return !isOver
  }

  /// Only the first end counts.
  func end(_ result: Result<[UInt8], any Error>) {
    let waiting = state.withLock { state in
      defer { state = (nil, true) }
      return state.waiting
    }
    waiting?.resume(with: result)
  }
}
