import Decisions
import JobModel
import JobTransport
import Ledger
import Testing

@testable import Bookkeeping
@testable import BooksSupport

/// One random plan, played in the books and in the model.
final class PlanGame {
  private var plan: RandomPlan
  private var model: PlanModel
  private var books: Books
  private var assignments: [JobID: Assignment] = [:]
  private var sent: [(id: JobID, name: EventName)] = []
  private var log: [String] = []
  /// How far the clock has been set forward, in ticks.
  private var ticks = 0
  private static let tick: Duration = .seconds(700)

  init(_ plan: RandomPlan) async throws {
    self.plan = plan
    model = PlanModel(PlanRules(plan.definition), attempts: RandomPlan.attempts)
    books = try await Books().succeeded {
      $0.plans[RandomPlan.name] = PlanSettings(plan.definition)
      $0.kinds[RandomPlan.hurried] = $0.kinds["step"]
      $0.kinds[RandomPlan.hurried]?.startWithin = RandomPlan.startWithin
    }
  }

  /// - Returns: The first difference; nil: there was none.
  func play(moves: Int, _ counts: inout PlanCounts) async throws -> String? {
    for number in 0..<moves {
      guard let move = plan.move(model, sent) else { break }
      log.append(description(of: move))
      counts.count(move, model)
      try await make(move)
      try await dropOld()
      counts.count(model)
      if let difference = try await difference(full: number % 8 == 0) {
        return "\(difference); \(plan); after \(log.suffix(20).joined(separator: ", "))"
      }
    }
    counts.countEnds(of: model)
    return nil
  }
}

// MARK: - What happens

extension PlanGame {
  private func make(_ move: RandomPlan.Move) async throws {
    switch move {
    case .start(let id):
      model.start(id)
      _ = try await books.bookkeeper.accept([Incoming(.start(PlanStart(id: id, plan: RandomPlan.name)))])
    case .end(let id, let result):
      model.end(id, result.state, code: result.code)
      guard let assignment = assignments.removeValue(forKey: id) else { return }
      try await books.record(books.report(assignment, result))
    case .tick: try await tick()
    case .event(let id, let name):
      if !sent.contains(where: { $0.id == id }) { sent.append((id, name)) }
      model.receive(id, name)
      _ = try await books.bookkeeper.accept([Incoming(.event(EventSubmission(id: id, name: name)))])
    case .accept(let id):
      model.accept(id)
      for _ in 0..<2 { _ = try await books.bookkeeper.accept([Incoming(.choice(EventChoice(.accept, id)))]) }
    case .dismiss(let id):
      model.dismiss(id)
      _ = try await books.bookkeeper.accept([Incoming(.choice(EventChoice(.dismiss, id)))])
    case .restart: try await books.restart()
    case .stop, .cancel, .reset, .rerank, .pause: try await operate(move)
    }
    try await takeAssignments()
  }

  private func operate(_ move: RandomPlan.Move) async throws {
    switch move {
    case .stop(let gates):
      model.stop(gates)
      _ = try await books.bookkeeper.stopPlan(PlanStopOrder(plan: RandomPlan.name, gates: gates)).get()
      try await books.doChores()
    case .cancel(let id):
      model.cancel(id)
      _ = try await books.cancel(id)
    case .reset:
      model.reset()
      _ = try await books.bookkeeper.begin(.reset, JobSelection())
      try await books.doChores()
    case .rerank(let id, let rank): try await rerank(id, rank)
    case .pause(let isPaused):
      model.pause(isPaused)
      _ = try await books.bookkeeper.setPaused("init", isPaused)
    default: break
    }
  }

  /// Jobs that wait for their next attempt are due, and those that had to begin by now fail.
  private func tick() async throws {
    model.tick()
    ticks += 1
    try await books.lookAtClock(after: PlanGame.tick * ticks)
    try await returnFences()
  }

  /// A released job is withdrawn first, and its old message is dropped.
  private func rerank(_ id: JobID, _ rank: Int) async throws {
    model.move(id, to: rank)
    let old = assignments.removeValue(forKey: id)
    _ = try await books.bookkeeper.rerank(RerankOrder(job: id, rank: rank), .test)
    try await returnFences()
    if let old { try await books.drop(old.release) }
  }

  private func returnFences() async throws {
    take(try await books.returnFences(in: try await books.told()).assignments)
  }

  private func takeAssignments() async throws { take(try await books.told().assignments) }

  private func take(_ new: [Assignment]) {
    for assignment in new { assignments[assignment.job] = assignment }
  }

  /// Drops the assignments whose jobs have ended: their places are free then.
  private func dropOld() async throws {
    for (id, assignment) in assignments where model.row(id)?.isReleased != true {
      assignments[id] = nil
      try await books.drop(assignment.release)
      try await takeAssignments()
    }
  }
}

// MARK: - What a difference says

extension PlanGame {
  private func description(of move: RandomPlan.Move) -> String {
    switch move {
    case .start: "start"
    case .end(let id, let result): "\(name(id)) \(result.code ?? "succeeds")"
    case .event(let id, let name): model.events[id] == nil ? "event \(name)" : "event \(name) again"
    case .accept(let id): "accept \(sent.first { $0.id == id }?.name.name ?? "")"
    case .dismiss(let id): "dismiss \(sent.first { $0.id == id }?.name.name ?? "")"
    case .cancel(let id): "cancel \(name(id))"
    case .rerank(let id, let rank): "move \(name(id)) to \(rank)"
    case .stop, .tick, .reset, .pause, .restart: "\(move)"
    }
  }

  private func name(_ id: JobID) -> String { model.row(id).map { "\($0.job.name) (\($0.job.rank))" } ?? "\(id)" }
}

// MARK: - What the books say

extension PlanGame {
  private func difference(full: Bool) async throws -> String? {
    let released = await Set(books.bookkeeper.released.values.filter { $0.department == "init" }.map(\.id))
    if released != Set(model.released.map(\.job.id)) {
      return "released: \(released.map(name)), expected \(model.released.map { name($0.job.id) })"
    }
    let jobs = try await books.ledger.read { [model] queries in try model.rows.map { try queries.job($0.job.id) } }
    for (row, job) in zip(model.rows, jobs) {
      guard let job, job.progress.state == row.job.state, job.round == row.job.round, job.step == row.job.name,
        job.order?.rank == row.job.rank
      else {
        let found = job.map { "\($0.progress.state), round \($0.round ?? -1), rank \($0.order?.rank ?? -1)" }
        return "\(row.job.name) is \(found ?? "not there"), expected \(row.job)"
      }
    }
    if let difference = try await differenceInLedger() { return difference }
    guard full else { return nil }
    let (fresh, memory) = (try await books.freshMemory(), await books.bookkeeper.memory)
    return fresh == memory ? nil : "memory: \(memory.differences(from: fresh))"
  }

  private func differenceInLedger() async throws -> String? {
    let (record, events) = try await books.ledger.read { [sent] queries in
      (try queries.phase(of: RandomPlan.name), try sent.map { ($0.id, try queries.event($0.id)?.state) })
    }
    let phase = record?.phase ?? .notStarted
    if phase != model.phase { return "phase \(phase), expected \(model.phase)" }
    for (id, state) in events where state != model.events[id] {
      return "event \(state?.rawValue ?? "none"), expected \(model.events[id]?.rawValue ?? "none")"
    }
    let gates = await books.bookkeeper.books["work"]?.gates ?? []
    let isShut = !model.areGatesOpen
    return gates == (isShut ? [RandomPlan.name] : []) ? nil : "gates \(gates), expected shut: \(isShut)"
  }
}

extension AttemptResult {
  fileprivate var state: JobState { if case .failed = self { .failed } else { .succeeded } }
  fileprivate var code: String? { if case .failed(let failure, _) = self { failure.code } else { nil } }
}
