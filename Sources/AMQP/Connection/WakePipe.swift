import Foundation

/// A pipe from a process to itself: a byte in it ends the `poll` of the thread that waits for it.
final class WakePipe: Sendable {
  /// The end to poll.
  let readDescriptor: Int32
  private let writeDescriptor: Int32

  /// - Returns: `nil` when this process has no descriptors left.
  init?() {
    var descriptors: [Int32] = [-1, -1]
    guard pipe(&descriptors) == 0 else { return nil }
    (readDescriptor, writeDescriptor) = (descriptors[0], descriptors[1])
    for descriptor in descriptors {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }
  }

  deinit {
    _ = close(readDescriptor)
    _ = close(writeDescriptor)
  }

  func wake() {
    var byte: UInt8 = 1
    // A failure does not matter: a full pipe wakes too.
    _ = write(writeDescriptor, &byte, 1)
  }

  func drain() {
    var bytes: (UInt64, UInt64) = (0, 0)
    let size = MemoryLayout.size(ofValue: bytes)
    while read(readDescriptor, &bytes, size) == size {}
  }
}
