import AMQP
import BrokerSupport
import JobModel
import TestSupport
import Testing

@testable import JobTransport

@Suite("The claim of a virtual host for one ledger", .timeLimit(.minutes(10)))
struct LedgerClaimTests {
  private func opening(_ url: String) -> @Sendable () async throws -> Connection {
    { try await Connection.patient(to: url) }
  }

  @Test("of many ledgers at once one has it, and all others hear which")
  func atOnce() async throws {
    let open = opening(try await BrokerNode.shared.makeVirtualHost())
    let ledgers = (0..<8).map { _ in LedgerID() }
    let claims = try await withThrowingTaskGroup(of: (LedgerID, ForeignClaim?).self) { group in
      for ledger in ledgers { group.addTask { (ledger, try await LedgerClaim.declare(for: ledger, open)) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let owners = claims.filter { $0.1 == nil }.map(\.0)
    #expect(owners.count == 1)
    for (ledger, claim) in claims where !owners.contains(ledger) {
      #expect(claim == ForeignClaim(owner: owners.first, ledger: ledger))
    }
    #expect(try await LedgerClaim.declare(for: owners[0], open) == nil)
  }

  @Test("is handed over, also while its owner makes it again and again")
  func handedOver() async throws {
    let url = try await BrokerNode.shared.makeVirtualHost()
    let open = opening(url)
    let (first, second) = (LedgerID(), LedgerID())
    let owner = try await Connection.patient(to: url)
    try await owner.declare(Topology.claim(of: first))
    let holding = Task {
      while true {
        try await owner.declare(Topology.claim(of: first))
        // Much more often than a coordinator does.
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    #expect(try await LedgerClaim.handOver(to: second, open)?.owner == first)
    await #expect(throws: AMQPError.self) { try await holding.value }
    #expect(try await LedgerClaim.declare(for: first, open)?.owner == second)
    #expect(try await LedgerClaim.handOver(to: second, open) == nil, "there is nothing to hand over")
  }

  @Test("is not touched by a policy for everything")
  func policies() async throws {
    let url = try await BrokerNode.shared.makeVirtualHost()
    let open = opening(url)
    let (first, second) = (LedgerID(), LedgerID())
    #expect(try await LedgerClaim.declare(for: first, open) == nil)
    try await BrokerNode.shared.ctl(
      "set_policy", "-p", try BrokerURL(url).virtualHost, "everything", ".*",
      #"{"alternate-exchange":"amq.fanout"}"#)
    #expect(try await LedgerClaim.declare(for: first, open) == nil)
    #expect(try await LedgerClaim.declare(for: second, open)?.owner == first)
  }

  @Test(
    "a refusal names the owner as far as there is room for it",
    arguments: [
      ("received 'teller.ledger.b-2' but current is 'teller.ledger.a-1'", "a-1"),
      ("received the value 'teller.ledger.b-2' of type 'longstr' but current is the value 'teller.ledger.a-1'", "a-1"),
      ("received none but current is the value 'teller.ledger.a-1' of type 'longstr'", "a-1"),
      ("received 'teller.ledger.b-2' but current is 'teller.ledger.a...", "a"),
      ("received 'teller.ledger.b-2' but curr...", nil),
    ] as [(String, String?)])
  func refusal(text: String, owner: String?) {
    let error = AMQPError.channelClosed(
      code: 406,
      text: "PRECONDITION_FAILED - inequivalent arg 'alternate-exchange' for exchange 'teller.ledger' in vhost '/': "
        + text)
    #expect(
      ForeignClaim(error, LedgerID("b-2")) == ForeignClaim(owner: owner.map { LedgerID($0) }, ledger: LedgerID("b-2")))
  }

  @Test("other errors are no claim")
  func others() {
    for error in [
      AMQPError.channelClosed(code: 403, text: "access to exchange 'teller.ledger' refused"),
      .channelClosed(code: 406, text: "inequivalent arg 'x' for queue 'teller.submissions'"), .closed,
    ] {
      #expect(ForeignClaim(error, LedgerID("a")) == nil)
    }
  }
}
