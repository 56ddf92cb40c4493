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

/// Look-ups of the system. Each has a thread of its own: the system's call waits, and cannot be cancelled.
private final class SystemLookUps: Sendable {
  static let shared = SystemLookUps()

  /// How many may be under way. One whose delivery is over goes on until the system gives up.
  private static let limit = 64
  private let count = Atomic(0)

  func addresses(of host: String) async throws -> [IPAddress] {
    guard count.add(1, ordering: .relaxed).newValue <= SystemLookUps.limit else {
      count.subtract(1, ordering: .relaxed)
      throw DeliveryProblem.unreachable("its name cannot be looked up: the system answers no look-ups")
    }
    let answer = OneShot<[IPAddress]>()
    let problem = OwnThread.start("teller-lookup") { [self] in
      let found = Result { () throws in try SystemLookUps.lookUp(host) }
      count.subtract(1, ordering: .relaxed)
      answer.fulfil(found)
    }
    if let problem {
      count.subtract(1, ordering: .relaxed)
      throw DeliveryProblem.unreachable("its name cannot be looked up: no thread can be started: \(problem)")
    }
    return try await answer.value
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
