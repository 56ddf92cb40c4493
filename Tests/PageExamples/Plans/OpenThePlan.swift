import Teller

let opening = Plan(
  "opening", department: "init", gates: ["deposit", "loan"],
  steps: [
    Plan.Step("network check", kind: "init-step", rank: 10),
    Plan.Step("user information", kind: "init-step", rank: 30),
    Plan.Step("app version", kind: "init-step", rank: 30),
    Plan.Step(
      "login", kind: "login", rank: 40, attempts: 3, timeout: .seconds(10),
      reentry: Reentry(on: "session_expired", from: "user information", atMost: 2)),
    Plan.Step("full-screen banner", kind: "init-step", rank: 90, isRequired: false),
  ],
  events: [PlanEvent("push", rank: 50, kind: "open-push", whenOpen: .announce)])

/// What knows whose session goes on.
protocol Sessions: Sendable {
  func isValid(for user: Int) async throws -> Bool
}

struct LogIn: JobHandler {
  static let kind: JobKind = "login"
  struct Payload: Codable, Sendable { var user: Int }

  let sessions: any Sessions

  func run(context: JobContext<Payload>) async throws -> NoResult {
    guard try await sessions.isValid(for: context.payload.user) else {
      throw JobFailure(code: "session_expired", message: "the session of user \(context.payload.user) is over")
    }
    return NoResult()
  }
}

func open(with client: TellerClient) async throws {
  let run = try await client.startPlan("opening", payload: .object(["user": .int(7)]))
  try await run.accepted()
  if let present = run.duplicateOf { print("runs already, or is open: \(present)") }
  if let failure = try await run.outcome().failure { print("not open: \(failure)") }
}

func submitOpening(with client: TellerClient) async throws {
  for problem in opening.problems { print(problem) }
  let run = try await client.submit(opening)
  try await run.accepted()
}
