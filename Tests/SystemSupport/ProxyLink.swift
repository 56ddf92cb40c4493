import Foundation
import Synchronization

/// One connection through a proxy: a socket to each side, closed when both directions have ended.
final class ProxyLink: Sendable {
  let client: Int32
  let broker: Int32
  private let ended = Mutex((directions: 0, isEnding: false))

  init(client: Int32, broker: Int32) {
    self.client = client
    self.broker = broker
    for socket in [client, broker] { Sockets.sendAtOnce(socket) }
  }

  /// Whether the two directions are to end.
  var isEnding: Bool { ended.withLock { $0.isEnding } }

  /// Ends it so that both sides see a reset.
  func reset() {
    ended.withLock { ended in
      // Not after both have ended: the numbers may be somebody else's by then.
      guard ended.directions < 2 else { return }
      ended.isEnding = true
      for socket in [client, broker] { Sockets.resetAtClose(socket) }
    }
  }

  /// One direction has ended, and the other shall. True when both have, and the sockets are closed.
  func end() -> Bool {
    ended.withLock { ended in
      ended.isEnding = true
      ended.directions += 1
      guard ended.directions == 2 else { return false }
      for socket in [client, broker] { Foundation.close(socket) }
      return true
    }
  }

  /// Sends everything; false when the connection is over.
  func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      if isEnding { return false }
      guard Sockets.isReady(socket, Int16(POLLOUT), within: ProxyCore.turn) else { continue }
      #if os(Linux)
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
      #else
        let flags = Int32(MSG_DONTWAIT)
      #endif
      let sent = rest.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, flags) }
      if sent > 0 { rest = rest.dropFirst(sent) }
      if sent < 0, errno != EAGAIN, errno != EINTR { return false }
    }
    return true
  }
}

/// TCP sockets on the loopback interface.
enum Sockets {
  /// A socket that listens on a free port, and that port.
  static func listen() throws -> (Int32, UInt16) {
    let listener = try make()
    var address = loopback(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(listener, address, length) == 0, Foundation.listen(listener, 64) == 0 else { return Int32(-1) }
        return getsockname(listener, address, &length)
      }
    }
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  /// A connection; nil when nobody listens there.
  static func connect(to port: UInt16) -> Int32? {
    guard let socket = try? make() else { return nil }
    var address = loopback(port)
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Foundation.connect(socket, $0, length) }
    }
    if result == 0 { return socket }
    close(socket)
    return nil
  }

  /// Whether something of that kind can be done now, or within so many milliseconds.
  static func isReady(_ socket: Int32, _ events: Int16, within milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: socket, events: events, revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  /// Blocks the thread.
  static func pause(_ milliseconds: Int32) { _ = poll(nil, 0, milliseconds) }

  static func resetAtClose(_ socket: Int32) {
    var value = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
  }

  static func sendAtOnce(_ socket: Int32) {
    var value: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func make() throws -> Int32 {
    #if os(Linux)
      let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    let socket = Foundation.socket(AF_INET, type, 0)
    guard socket >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return socket
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
