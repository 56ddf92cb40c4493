import Foundation
import Synchronization

/// The standard input of a child process. A socket and no pipe: a write to a pipe that nobody reads would end the test
/// process by a signal, and ignoring that signal would be inherited by the processes under test.
final class ProcessInput: Sendable {
  /// To be closed when the child has been started: after that only the child has it.
  let childEnd: FileHandle
  private let descriptor: Mutex<Int32?>

  init() throws {
    var ends: [Int32] = [0, 0]
    #if os(Linux)
      let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Self.lastError }
    descriptor = Mutex(ends[0])
    childEnd = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
  }

  deinit { close() }

  func close() {
    descriptor.withLock { descriptor in
      if let open = descriptor { _ = Foundation.close(open) }
      descriptor = nil
    }
  }

  func write(_ bytes: [UInt8]) throws {
    try descriptor.withLock { descriptor in
      guard let descriptor else { throw POSIXError(.EBADF) }
      var rest = bytes[...]
      while !rest.isEmpty { rest = rest.dropFirst(try Self.send(rest, to: descriptor)) }
    }
  }

  private static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws -> Int {
    #if os(Linux)
      let flags = Int32(MSG_NOSIGNAL)
    #else
      let flags: Int32 = 0
    #endif
    let sent = bytes.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
    guard sent >= 0 else {
      guard errno == EINTR else { throw lastError }
      return 0
    }
    return sent
  }

  private static var lastError: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
