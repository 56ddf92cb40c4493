import Teller
import TellerTesting
import Testing

/// Accounts in the memory of a test.
actor AccountsInMemory: Accounts {
  private var balances: [String: Int] = [:]
  private var booked: Set<JobID> = []

  func book(_ cents: Int, on account: String, once id: JobID) -> Int {
    if booked.insert(id).inserted { balances[account, default: 0] += cents }
    return balances[account, default: 0]
  }
}

@Suite("Deposits")
struct DepositTests {
  @Test("are booked")
  func booked() async throws {
    let deposit = Deposit(accounts: AccountsInMemory())
    let receipt = try await TellerTesting.run(deposit, Deposit.Payload(account: "A-17", cents: 500))
    #expect(receipt.balance == 500)
  }

  @Test("are booked once, however often their job runs")
  func bookedOnce() async throws {
    let deposit = Deposit(accounts: AccountsInMemory())
    let payload = Deposit.Payload(account: "A-17", cents: 500)
    let first = JobInfo(attempt: 1, maxAttempts: 5, kind: "deposit", department: "deposit")
    var second = first
    second.attempt = 2
    _ = try await TellerTesting.run(deposit, payload, as: first)
    #expect(try await TellerTesting.run(deposit, payload, as: second).balance == 500)
  }

  @Test("are submitted by the front desk")
  func submitted() async throws {
    let deposit = Deposit(accounts: AccountsInMemory())
    try await TellerTesting.withSystem(serving: ["deposit": [deposit]]) { system in
      try await openAccount("A-17", with: system.client)
      let first = try await system.submission(of: Deposit.self) { $0.cents == 500 }
      #expect(try await system.outcome(of: first.id).state == .succeeded)
      try await system.allEnded()
    }
  }

  @Test("thank the customer by letter")
  func thanked() async throws {
    try await TellerTesting.withSystem(serving: { ["desk": [Thank(client: $0)], "letter": []] }) { system in
      try await system.client.submit(Thank.self, Thank.Payload(customer: 7))
      let letter = try await system.submission(of: Letter.self)
      #expect(letter.payload.customer == 7)
    }
  }
}

/// The program under test.
func openAccount(_ account: String, with client: TellerClient) async throws {
  try await client.submit(Deposit.self, Deposit.Payload(account: account, cents: 500))
}

/// A handler that submits a job itself.
struct Thank: JobHandler {
  static let kind: JobKind = "thank"
  struct Payload: Codable, Sendable { var customer: Int }

  let client: TellerClient

  func run(context: JobContext<Payload>) async throws -> NoResult {
    let payload = Letter.Payload(customer: context.payload.customer, text: "Thank you")
    var letter = try JobSubmission(Letter.self, payload)
    letter.key = "thanks for \(context.id)"
    try await client.submit(letter)
    return NoResult()
  }
}
