package import AMQP
import AsyncAlgorithms
package import JobModel

/// The claim of a virtual host for one ledger: the exchange `teller.ledger`, whose alternate exchange names the ledger.
///
/// Nobody publishes to that exchange. It is a claim because the broker makes an exchange once, and compares every later
/// declaration with it: of two coordinators that begin at the same moment one makes it, and the other is refused, with
/// both names. It is on the broker's disk, on every node, and no policy touches it. (A message in a queue would be subject
/// to length and age; a queue to `expires`.) A broker that has lost its disk has no claim: the first coordinator that comes
/// makes another one.
package struct LedgerClaim: Sendable {
  private let ledger: LedgerID
  private let connections: BrokerConnections

  /// How often a coordinator looks whether the claim is still its own, and one that waits whether it is now.
  package static let interval: Duration = .seconds(1)
  /// How often a claim is moved that the former owner makes again in between.
  private static let attempts = 10

  package init(of ledger: LedgerID, on connections: BrokerConnections) {
    (self.ledger, self.connections) = (ledger, connections)
  }

  /// Returns once the virtual host belongs to the ledger. Where another ledger has it, `refused` is told, each time; the
  /// coordinator of that ledger, once.
  ///
  /// - Parameters:
  ///   - waits: Whether to wait for a hand-over.
  ///   - refused: Is told each claim of another ledger that is found.
  /// - Throws: ``ForeignClaim`` where another ledger has it, unless it waits.
  package func take(waits: Bool, refused: (ForeignClaim) -> Void) async throws {
    var isKnown = false
    while let foreign = try await LedgerClaim.declare(for: ledger, { try await connections.openForTrial() }) {
      refused(foreign)
      if !isKnown { _ = try await connections.publishing.publish(Knock.refused(ledger)) }
      isKnown = true
      guard waits else { throw foreign }
      try await Task.sleep(for: LedgerClaim.interval)
    }
  }

  /// Looks again and again whether the claim is still the ledger's. A claim that somebody has removed is made again.
  ///
  /// - Throws: ``ForeignClaim``.
  package func hold() async throws {
    for await _ in AsyncTimerSequence(interval: LedgerClaim.interval, clock: .continuous) {
      do {
        try await connections.consuming.declare(Topology.claim(of: ledger))
      } catch {
        throw ForeignClaim(error, ledger) ?? error
      }
    }
  }

  /// Makes the virtual host the ledger's, whoever had it. To declare with another name than the owner's ends a
  /// connection: each attempt has its own.
  ///
  /// - Returns: The claim that there was; nil: the ledger's own, or none.
  package static func handOver(
    to ledger: LedgerID, _ open: () async throws -> Connection
  ) async throws -> ForeignClaim? {
    guard let former = try await declare(for: ledger, open) else { return nil }
    for _ in 0..<attempts {
      // One behind the other: its owner may make the claim again in between.
      let claim = try await declare(for: ledger, open) { try await $0.delete(exchange: Topology.Exchange.ledger) }
      if claim == nil { return former }
    }
    throw AMQPError.timedOut(operation: "moving the claim of the virtual host, which its owner makes again and again")
  }

  /// Makes the claim if there is none. `before`: what is done before, on the same connection.
  ///
  /// - Returns: The claim of another ledger, if there is one.
  package static func declare(
    for ledger: LedgerID, _ open: () async throws -> Connection,
    before: (Connection) async throws -> Void = { _ in }
  ) async throws -> ForeignClaim? {
    do {
      try await closing(open) {
        try await before($0)
        try await $0.declare(Topology.claim(of: ledger))
      }
      return nil
    } catch let error as AMQPError {
      guard let foreign = ForeignClaim(error, ledger) else { throw error }
      return foreign
    }
  }

  private static func closing(
    _ open: () async throws -> Connection, _ body: (Connection) async throws -> Void
  ) async throws {
    let connection = try await open()
    do {
      try await body(connection)
      await connection.close()
    } catch {
      await connection.close()
      throw error
    }
  }
}

/// A virtual host belongs to another ledger than that of a coordinator.
package struct ForeignClaim: Error, Hashable, Sendable, CustomStringConvertible {
  /// The ledger that has the claim, as far as the broker's answer names it; nil: a long name of the virtual host left no
  /// room for it.
  package let owner: LedgerID?
  /// The ledger that does not have it.
  package let ledger: LedgerID

  package init(owner: LedgerID?, ledger: LedgerID) { (self.owner, self.ledger) = (owner, ledger) }

  /// Reads the broker's refusal of a claim; nil: the error is another one.
  package init?(_ error: AMQPError, _ ledger: LedgerID) {
    guard case .channelClosed(AMQPError.preconditionFailedCode, let text) = error,
      text.contains("'\(Topology.Exchange.ledger)'")
    else { return nil }
    // The broker names what it was asked for, and then what there is.
    let names = text.split(separator: Topology.claimPrefix).dropFirst().map { $0.prefix { $0.isHexDigit || $0 == "-" } }
    self.init(owner: names.last { !$0.isEmpty && $0 != ledger.text }.map { LedgerID(String($0)) }, ledger: ledger)
  }

  package var description: String {
    """
    this virtual host of the broker belongs to the ledger \(owner?.text ?? "of another coordinator"), and this \
    coordinator has the ledger \(ledger): start the coordinator with the other ledger, or give the virtual host to this \
    one with: teller broker hand-over \(ledger)
    """
  }
}
