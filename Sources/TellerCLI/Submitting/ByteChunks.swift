import Dispatch
import Foundation
import Teller

/// The bytes of a file, or of standard input, as they come.
struct ByteChunks: Sendable {
  /// The most bytes that are read at once.
  static let size = 256 << 10

  /// How many bytes there are in all; nil when that is unknown, as of a pipe.
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

  /// The next bytes, as soon as there are any; empty at the end.
  ///
  /// - Throws: `Failure` when they cannot be read; `CancellationError`, and then the next bytes are lost.
  func next() async throws -> [UInt8] {
    try Task.checkCancellation()
    let reading = AsyncThrowingStream<[UInt8], any Error> { reading in
      // On a thread of its own: standard input may come at any time, or never.
      queue.async { reading.yield(with: Result { try ByteChunks.read(file.fileDescriptor) }) }
    }
    for try await bytes in reading { return bytes }
    throw CancellationError()
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

  /// All bytes that are left. Once they are more than the limit, the rest is not read.
  func all(limit: Int) async throws -> [UInt8] {
    var all: [UInt8] = []
    while all.count <= limit {
      let bytes = try await next()
      if bytes.isEmpty { break }
      all += bytes
    }
    return all
  }
}
