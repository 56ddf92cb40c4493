import Decisions
import JobModel
import JobTransport
import Ledger
import Testing

@testable import Bookkeeping
@testable import BooksSupport

/// A plan of the configuration, and what can be done with it in the books.
struct PlanBooks {
  static let name: PlanName = "opening"
  let books: Books

  init(
    _ steps: [PlanStep], events: [PlanEvent] = [], gates: [Department] = [], startOn: PlanSettings.StartOn = .command
  )
    async throws
  {
    let plan = PlanDefinition(name: PlanBooks.name, department: "init", steps: steps, events: events, gates: gates)
    try #require(plan.problem == nil)
    books = try await Books().succeeded { $0.plans[PlanBooks.name] = PlanSettings(plan, startOn: startOn) }
  }

  @discardableResult
  func start(_ id: JobID = JobID(), reply: ReplyAddress? = .test) async throws -> JobID {
    #expect(try await accept(.start(PlanStart(id: id, plan: PlanBooks.name, reply: reply))).isEmpty)
    return id
  }

  func accept(_ content: IncomingSubmission, from user: String? = nil) async throws -> [Refusal] {
    try await books.bookkeeper.accept([Incoming(content, from: user)])
  }

  /// Runs what is released, one job after the other, until nothing more is; a step fails with the code that is given for it.
  ///
  /// - Returns: The names of the steps, in the order of their runs.
  func run(failing codes: [String: String] = [:], limit: Int = 50) async throws -> [String] {
    var steps: [String] = []
    var told = try await books.told().assignments
    while !told.isEmpty, steps.count < limit {
      let assignment = told.removeFirst()
      let step = assignment.step?.name ?? "\(assignment.kind)"
      steps.append(step)
      let failure = codes[step].map { JobFailure(code: $0, message: "it failed") }
      try await books.record(
        books.report(assignment, failure.map { .failed($0, isPermanent: $0.code != "expired") } ?? .done))
      told += try await books.told().assignments
    }
    return steps
  }

  var phase: PlanPhase {
    get async throws { try await books.ledger.read { try $0.phase(of: PlanBooks.name)?.phase } ?? .notStarted }
  }

  /// What the stream is told that is not told yet: the change, and the name of the step or the event.
  func news() async throws -> [String] {
    guard let batch = try await books.bookkeeper.nextNotifications(atMost: 1_000) else { return [] }
    await books.bookkeeper.sent(batch)
    return batch.notifications.map { "\($0.event) \($0.name ?? $0.plan?.name ?? $0.kind?.name ?? "")" }
  }

  func explain(_ id: JobID) async throws -> [JobExplanation.Reason] {
    try #require(try await books.bookkeeper.explain(id)).reasons
  }
}

extension PlanStep {
  init(_ name: String, _ rank: Int, isRequired: Bool = true, reentry: Reentry? = nil) {
    self.init(name: name, kind: "step", rank: rank, isRequired: isRequired, reentry: reentry)
  }
}
