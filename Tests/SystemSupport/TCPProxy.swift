import Foundation
import Synchronization

/// A bad line to the broker: a proxy on the loopback interface that can reset, hold back, split, delay and damage what
/// goes through it. It has threads of its own; they end with `close`, or when nobody holds the proxy any more.
package final class TCPProxy: Sendable {
  /// What the line does to every connection, old or new.
  package enum Weather: Hashable, Sendable {
    /// It passes everything on.
    case clear
    /// It passes nothing on, in either direction, and says nothing; what was sent meanwhile arrives when it is clear again.
    case blackHole
    /// It passes on one byte at a time.
    case singleBytes
    /// It holds everything back for that long, each time.
    case delay(Duration)
  }

  /// Which way bytes go.
  package enum Direction: Hashable, Sendable, CaseIterable { case toBroker, toClient }

  struct State {
    var weather = Weather.clear
    /// How many bytes pass in that direction before one is damaged.
    var flips: [Direction: Int] = [:]
    var links: [Int: ProxyLink] = [:]
    var lastLink = 0
    var damaged = 0
    var isClosed = false
  }

  /// Where it listens.
  package let port: UInt16
  private let core: ProxyCore

  /// Listens on a free port for who wants to reach a port of the loopback interface.
  /// - Throws: what the system says when it cannot listen.
  package init(to target: UInt16) throws {
    let (listener, port) = try Sockets.listen()
    self.port = port
    core = ProxyCore(target: target, listener: listener)
    let core = core
    Thread.detachNewThread { core.accept() }
  }

  deinit { close() }

  /// What the line does at present.
  package var weather: Weather {
    get { core.state.withLock { $0.weather } }
    set { core.state.withLock { $0.weather = newValue } }
  }

  /// Resets every connection, in both directions; new ones are accepted.
  package func reset() {
    for link in core.state.withLock({ Array($0.links.values) }) { link.reset() }
  }

  /// Turns one bit of the byte that comes after so many others in that direction.
  package func flip(after bytes: Int, _ direction: Direction) {
    core.state.withLock { $0.flips[direction] = bytes }
  }

  /// Damages nothing any more, and resets every connection.
  package func repair() {
    core.state.withLock { $0.flips = [:] }
    reset()
  }

  /// How many bytes it has damaged.
  package var damaged: Int { core.state.withLock { $0.damaged } }

  /// Resets everything and listens no more.
  package func close() {
    core.state.withLock { $0.isClosed = true }
    reset()
  }
}

/// What the threads of a proxy share.
final class ProxyCore: Sendable {
  /// How long a thread waits before it looks at the weather again, in milliseconds.
  static let turn: Int32 = 20
  /// What is read at once, in bytes.
  static let chunk = 16 * 1024

  let target: UInt16
  let listener: Int32
  let state = Mutex(TCPProxy.State())

  init(target: UInt16, listener: Int32) {
    self.target = target
    self.listener = listener
  }

  /// Accepts until the proxy is closed.
  func accept() {
    defer { Foundation.close(listener) }
    while !state.withLock({ $0.isClosed }) {
      let isOpen = state.withLock { $0.weather != .blackHole }
      guard Sockets.isReady(listener, Int16(POLLIN), within: ProxyCore.turn), isOpen else {
        if !isOpen { Sockets.pause(ProxyCore.turn) }
        continue
      }
      let client = Foundation.accept(listener, nil, nil)
      guard client >= 0 else { continue }
      // Nobody there: as if the broker itself had refused.
      guard let broker = Sockets.connect(to: target) else {
        Foundation.close(client)
        continue
      }
      begin(ProxyLink(client: client, broker: broker))
    }
  }

  private func begin(_ link: ProxyLink) {
    let number = state.withLock { state in
      state.lastLink += 1
      state.links[state.lastLink] = link
      return state.lastLink
    }
    for direction in TCPProxy.Direction.allCases {
      Thread.detachNewThread { [self] in
        carry(direction, of: link)
        if link.end() { state.withLock { $0.links[number] = nil } }
      }
    }
  }

  /// Carries bytes in one direction until the connection ends.
  private func carry(_ direction: TCPProxy.Direction, of link: ProxyLink) {
    let (from, to) = direction == .toBroker ? (link.client, link.broker) : (link.broker, link.client)
    var buffer = [UInt8](repeating: 0, count: ProxyCore.chunk)
    while !link.isEnding {
      if state.withLock({ $0.weather == .blackHole }) {
        Sockets.pause(ProxyCore.turn)
        continue
      }
      guard Sockets.isReady(from, Int16(POLLIN), within: ProxyCore.turn) else { continue }
      // The weather may have changed meanwhile.
      if state.withLock({ $0.weather == .blackHole }) { continue }
      let count = read(from, &buffer, buffer.count)
      guard count > 0 else { return }
      guard pass(buffer[..<count], direction, to, link) else { return }
    }
  }

  /// False when the connection is over.
  private func pass(
    _ bytes: ArraySlice<UInt8>, _ direction: TCPProxy.Direction, _ socket: Int32, _ link: ProxyLink
  ) -> Bool {
    let (weather, bytes) = state.withLock { state in (state.weather, state.damaging(bytes, direction)) }
    switch weather {
    case .clear, .blackHole: return link.send(bytes, to: socket)
    case .singleBytes: return bytes.indices.allSatisfy { link.send(bytes[$0...$0], to: socket) }
    case .delay(let time):
      Sockets.pause(Int32(time / .milliseconds(1)))
      return link.send(bytes, to: socket)
    }
  }
}

extension TCPProxy.State {
  fileprivate mutating func damaging(_ bytes: ArraySlice<UInt8>, _ direction: TCPProxy.Direction) -> ArraySlice<UInt8> {
    guard let distance = flips[direction] else { return bytes }
    guard distance < bytes.count else {
      flips[direction] = distance - bytes.count
      return bytes
    }
    flips[direction] = nil
    damaged += 1
    var damaged = bytes
    damaged[bytes.startIndex + distance] ^= 1 << UInt8(distance % 8)
    return damaged
  }
}
