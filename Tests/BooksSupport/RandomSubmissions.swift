import Bookkeeping
import JobModel
import JobTransport

/// Jobs and plans that come in.
extension RandomBooks {
  mutating func submit() async throws {
    var submissions: [Submission] = []
    for _ in 0..<number(1...4) { submissions.append(submission()) }
    let incoming = submissions.map { Incoming(.job($0)) }
    // Ahead of their durable messages, behind them, or without them.
    if chance(30) { try await books.bookkeeper.acceptEarly(incoming) }
    if chance(90) { _ = try await books.bookkeeper.accept(incoming) }
    if chance(10) { try await books.bookkeeper.acceptEarly(incoming) }
  }

  private mutating func submission() -> Submission {
    let kind = some(of: ["deposit", "loan", "step", "vault"] as [JobKind]) ?? "deposit"
    let id = chance(10) ? some(of: ids) ?? newID() : newID()
    var submission = Submission(id: id, kind: kind)
    submission.priority = Priority(number(0...9)) ?? .normal
    if kind == "step", chance(50) { submission.rank = number(1...5) }
    if chance(20) { submission.runAt = .within(.milliseconds(number(1...3_600_000))) }
    if chance(15) { submission.startBy = .within(.milliseconds(number(0...3_600_000))) }
    // In an ordered department one that waits for a job behind it would wait for ever.
    if kind != "step", chance(25) { submission.after = dependencies(besides: id) }
    if chance(20) {
      submission.key = SubmissionKey(
        text: "key \(number(0...3))", window: chance(30) ? .whileLive : .seconds(number(1...100)))
    }
    if chance(30) { submission.reply = chance(50) ? .test : .other }
    return submission
  }

  private mutating func dependencies(besides id: JobID) -> Dependencies? {
    var jobs: Set<JobID> = []
    for _ in 0..<number(1...3) { jobs.insert(chance(20) ? newID() : some(of: ids) ?? newID()) }
    jobs.remove(id)
    return jobs.isEmpty ? nil : Dependencies(jobs: Array(jobs), rule: chance(50) ? .fail : .cancel)
  }

  mutating func submitPlan() async throws {
    let id = newID()
    let steps = (0..<number(1...3)).map { PlanStep(name: "step\($0)", kind: "step", rank: $0 + 1) }
    ids += steps.map { JobID(plan: id, step: $0.name) }
    let plan = PlanSubmission(id: id, department: "init", steps: steps, reply: .test)
    _ = try await books.bookkeeper.accept([Incoming(.plan(plan))])
  }
}
