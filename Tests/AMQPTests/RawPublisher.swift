import Foundation

/// A publisher that says in AMQP what the C library refuses to: frames written by hand over a plain socket. It blocks.
final class RawPublisher {
  struct Failure: Error {
    let reason: String
  }

  private static let patience = timeval(tv_sec: 90, tv_usec: 0)
  private let descriptor: Int32

  init(host: String, port: UInt16, user: String, password: String, virtualHost: String) throws {
    descriptor = try connectedSocket(host: host, port: port, patience: Self.patience)
    try send(Array("AMQP".utf8) + [0, 0, 9, 1])
    try expect(class: 10, method: 10)
    let response = Bytes.long([0] + Array(user.utf8) + [0] + Array(password.utf8))
    try send(method: 10, 11, Bytes.long([]) + Bytes.short("PLAIN") + response + Bytes.short("en_US"))
    try expect(class: 10, method: 30)
    try send(method: 10, 31, Bytes.big(UInt16(1)) + Bytes.big(UInt32(131_072)) + Bytes.big(UInt16(0)))
    try send(method: 10, 40, Bytes.short(virtualHost) + Bytes.short("") + [0])
    try expect(class: 10, method: 41)
    try send(method: 20, 10, Bytes.short(""), channel: 1)
    try expect(class: 20, method: 11)
  }

  deinit { _ = close(descriptor) }

  /// Publishes to a queue. `properties` are the bytes behind the flags.
  func publish(queue: String, flags: UInt16, properties: [UInt8], body: [UInt8] = [1]) throws {
    try send(method: 60, 40, Bytes.big(UInt16(0)) + Bytes.short("") + Bytes.short(queue) + [0], channel: 1)
    let header = Bytes.big(UInt16(60)) + Bytes.big(UInt16(0)) + Bytes.big(UInt64(body.count)) + Bytes.big(flags)
    try send(frame: 2, channel: 1, header + properties)
    if !body.isEmpty { try send(frame: 3, channel: 1, body) }
  }

  /// Waits until the broker has taken everything: its goodbye comes behind it.
  func finish() throws {
    try send(method: 20, 40, Bytes.big(UInt16(200)) + Bytes.short("") + [0, 0, 0, 0], channel: 1)
    try expect(class: 20, method: 41)
  }

  private func send(method class: UInt16, _ id: UInt16, _ arguments: [UInt8], channel: UInt16 = 0) throws {
    try send(frame: 1, channel: channel, Bytes.big(`class`) + Bytes.big(id) + arguments)
  }

  private func send(frame type: UInt8, channel: UInt16, _ payload: [UInt8]) throws {
    try send([type] + Bytes.big(channel) + Bytes.big(UInt32(payload.count)) + payload + [0xCE])
  }

  private func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(reason: "cannot send: errno \(errno)") }
      rest = rest.dropFirst(count)
    }
  }

  private func expect(class: UInt16, method: UInt16) throws {
    let start = try receive(7)
    let size = start[3...6].reduce(0) { $0 << 8 | Int($1) }
    let payload = try receive(size + 1)
    guard Array(payload.prefix(4)) == Bytes.big(`class`) + Bytes.big(method) else {
      throw Failure(reason: "the broker answered \(payload.prefix(4)): \(String(decoding: payload, as: UTF8.self))")
    }
  }

  private func receive(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes {
        recv(descriptor, $0.baseAddress?.advanced(by: filled), count - filled, 0)
      }
      guard got > 0 else { throw Failure(reason: "the broker closed the socket or says nothing: errno \(errno)") }
      filled += got
    }
    return bytes
  }
}

/// Runs what blocks on a thread of its own: tasks have only a few, and those belong to all tests together.
func onThreadOfItsOwn(_ body: @escaping @Sendable () throws -> Void) async throws {
  try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}

/// AMQP's encodings, by hand.
enum Bytes {
  static func big(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
  static func short(_ text: String) -> [UInt8] { short(Array(text.utf8)) }
  static func short(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count)] + bytes }
  static func long(_ bytes: [UInt8]) -> [UInt8] { big(UInt32(bytes.count)) + bytes }
  static func field(_ key: [UInt8], _ kind: Character, _ value: [UInt8]) -> [UInt8] {
    short(key) + [kind.asciiValue ?? 0] + value
  }

  /// A table that nests that deep, each table under the same key.
  static func nestedTable(depth: Int, key: String) -> [UInt8] {
    let perLevel = key.utf8.count + 6
    var bytes: [UInt8] = []
    for level in 1..<depth {
      bytes += big(UInt32((depth - level) * perLevel)) + short(key) + [UInt8(ascii: "F")]
    }
    return bytes + big(UInt32(0))
  }
}

func connectedSocket(host: String, port: UInt16, patience: timeval) throws -> Int32 {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = loopback(port: port)
  var patience = patience
  _ = setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  _ = setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  let status = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  guard status == 0 else { throw RawPublisher.Failure(reason: "cannot connect to \(host):\(port): errno \(errno)") }
  return descriptor
}

func loopback(port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return address
}

/// A socket of this process on loopback. It accepts, as the kernel does it, and says nothing; or it does not even
/// listen, and keeps others from listening there.
final class SilentServer {
  let port: UInt16
  private let descriptor: Int32

  init(isListening: Bool = true) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    self.descriptor = descriptor
    var address = loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && (!isListening || listen(descriptor, 8) == 0)
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard status else { throw RawPublisher.Failure(reason: "cannot listen: errno \(errno)") }
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { _ = close(descriptor) }
}
