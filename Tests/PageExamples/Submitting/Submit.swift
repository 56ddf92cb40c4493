import Foundation
import Teller

func submitOne(with client: TellerClient) async throws {
  let deposit = try await client.submit(Deposit.self, Deposit.Payload(account: "A-17", cents: 500))
  print(deposit.id)
}

func submitLetter(with client: TellerClient) async throws {
  var letter = try JobSubmission(Letter.self, Letter.Payload(customer: 7, text: "Good morning"))
  letter.priority = 7
  letter.delay = .seconds(900)
  letter.startWithin = .seconds(7_200)
  letter.headers = ["tenant": "north"]
  try await client.submit(letter)
}

func submitMany(to customers: [Int], with client: TellerClient) async throws {
  let letters = try customers.map { customer in
    try JobSubmission(Letter.self, Letter.Payload(customer: customer, text: "Good morning"))
  }
  do {
    try await client.submit(contentsOf: letters)
  } catch TellerError.incomplete(let submitted, _, _) {
    try await client.submit(contentsOf: Array(letters.dropFirst(submitted)))
  }
}

func submitOnce(with client: TellerClient) async throws {
  var letter = try JobSubmission(Letter.self, Letter.Payload(customer: 7, text: "Your statement of March"))
  letter.key = "statement/2027-03/7"
  letter.keyWindow = .seconds(31 * 86_400)
  let handle = try await client.submit(letter)
  try await handle.accepted()
  if let first = handle.duplicateOf { print("was sent before, as \(first)") }
}

func submitAfter(with client: TellerClient) async throws {
  let deposit = try JobSubmission(Deposit.self, Deposit.Payload(account: "A-17", cents: 500))
  var letter = try JobSubmission(Letter.self, Letter.Payload(customer: 7, text: "Thank you"))
  letter.after = [deposit.id]
  letter.afterFailed = .cancel
  try await client.submit(deposit)
  try await client.submit(letter)
}

func submitPlan(with client: TellerClient) async throws {
  let opening = Plan(
    department: "init",
    steps: [
      Plan.Step("network", kind: "check-network", rank: 1),
      Plan.Step("login", kind: "login", rank: 2, payload: .object(["user": .string("front")])),
    ])
  let plan = try await client.submit(opening)
  if let failure = try await plan.outcome().failure { print("not open: \(failure)") }
}

func submitUntyped(with client: TellerClient) async throws {
  let payload = Array(#"{"name": "Ada"}"#.utf8)
  try await client.submit(JobSubmission(kind: "greet", payload: payload))
}
