import Teller

/// The accounts of a bank. A booking with an id that was booked before changes nothing.
protocol Accounts: Sendable {
  /// - Returns: The balance.
  func book(_ cents: Int, on account: String, once id: JobID) async throws -> Int
}

struct Deposit: JobHandler {
  static let kind: JobKind = "deposit"
  static let policy = HandlerPolicy(
    attempts: 5, retry: RetrySettings(first: .seconds(30), longest: .seconds(3_600)), timeout: .seconds(60))

  struct Payload: Codable, Sendable {
    var account: String
    var cents: Int
  }
  struct Receipt: Codable, Sendable { var balance: Int }

  let accounts: any Accounts

  func run(context: JobContext<Payload>) async throws -> Receipt {
    let payload = context.payload
    let balance = try await accounts.book(payload.cents, on: payload.account, once: context.id)
    return Receipt(balance: balance)
  }
}

func register(_ accounts: any Accounts, in worker: Worker) {
  worker.register(Deposit(accounts: accounts))
}
