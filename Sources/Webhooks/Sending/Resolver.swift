import Decisions
import Foundation
import Processes
import Synchronization
import Teller

/// Looks up the addresses of a machine.
struct Resolver: Sendable {
  /// The addresses of a name, the best one first.
  let addresses: @Sendable (_ host: String) async throws -> [IPAddress]

  /// That of the system: `/etc/hosts`, DNS, and what else the machine is set up to ask.
  static let system = Resolver { host in try await SystemLookUps.shared.addresses(of: host) }
}

/// Look-ups of the system. Each name has a thread of its own: the system's call waits, and cannot be cancelled. Whoever asks
/// for a name while it is being looked up has the same answer.
private final class SystemLookUps: Sendable {
  static let shared = SystemLookUps()

  /// How many may be under way: twice as many as there may be receivers. One that nobody waits for any more goes on until the
  /// system gives up.
  private static let limit = 2 * WebhookSettings.limit
  private let underWay = Mutex<[String: OneShot<[IPAddress]>]>([:])

  func addresses(of host: String) async throws -> [IPAddress] {
    let (answer, isNew) = try underWay.withLock { underWay in
      if let answer = underWay[host] { return (answer, false) }
      guard underWay.count < SystemLookUps.limit else {
        throw DeliveryProblem.unreachable("its name cannot be looked up: the system answers no look-ups")
      }
      let answer = OneShot<[IPAddress]>()
      underWay[host] = answer
      return (answer, true)
    }
    if isNew { begin(host, answer) }
    return try await answer.value
  }

  private func begin(_ host: String, _ answer: OneShot<[IPAddress]>) {
    let end = { @Sendable [self] (result: Result<[IPAddress], any Error>) in
      underWay.withLock { $0[host] = nil }
      answer.fulfil(result)
    }
    guard let problem = OwnThread.start("teller-lookup", { end(Result { try SystemLookUps.lookUp(host) }) }) else {
      return
    }
    end(.failure(DeliveryProblem.unreachable("its name cannot be looked up: no thread can be started: \(problem)")))
  }

  private static func lookUp(_ host: String) throws -> [IPAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &found)
    defer { if let found { freeaddrinfo(found) } }
    guard code == 0 else {
      throw DeliveryProblem.unreachable("its name cannot be looked up: \(String(cString: gai_strerror(code)))")
    }
    return sequence(first: found, next: { $0?.pointee.ai_next }).prefix { $0 != nil }.compactMap { $0.flatMap(address) }
  }

  private static func address(_ found: UnsafeMutablePointer<addrinfo>) -> IPAddress? {
    guard let address = found.pointee.ai_addr else { return nil }
    switch found.pointee.ai_family {
    case AF_INET:
      return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
        withUnsafeBytes(of: address.pointee.sin_addr) { IPAddress(bytes: Array($0)) }
      }
    case AF_INET6:
      return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
        withUnsafeBytes(of: address.pointee.sin6_addr) { IPAddress(bytes: Array($0)) }
      }
    default: return nil
    }
  }
}
