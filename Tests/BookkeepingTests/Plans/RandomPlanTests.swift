import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Random plans", .serialized)
struct RandomPlanTests {
  /// `TELLER_TEST_PLANS=1000` plays so many.
  static let plans = ProcessInfo.processInfo.environment["TELLER_TEST_PLANS"].flatMap { Int($0) } ?? 25
  private static let movesOfOne = 60

  @Test("the books say of random plans, after each thing that happens, what the pure values say")
  func againstPureValues() async throws {
    let seeds = SeededRandom(for: "random plans")
    var (random, differences, counts) = (seeds, 0, [String: Int]())
    for number in 0..<Self.plans {
      let game = try await PlanGame(RandomPlan(SeededRandom(seed: random.next())))
      guard let difference = try await game.play(moves: Self.movesOfOne, &counts) else { continue }
      differences += 1
      Issue.record("plan \(number): \(difference)")
      if differences == 3 { break }
    }
    print("\(Self.plans) random plans, \(differences) differences: \(counts.sorted { $0.key < $1.key })")
    for phase in ["open", "failed", "stopped", "went back", "passed over", "event acted"] {
      #expect(counts[phase, default: 0] > 0, "no plan came to \(phase)")
    }
  }
}

/// One random plan, played in the books and in the model.
private final class PlanGame {
  private var plan: RandomPlan
  private var model: PlanModel
  private var books: Books
  private var assignments: [JobID: Assignment] = [:]
  private var sent: [JobID: EventName] = [:]
  private var log: [String] = []

  init(_ plan: RandomPlan) async throws {
    self.plan = plan
    model = PlanModel(PlanRules(plan.definition), attempts: RandomPlan.attempts)
    books = try await Books().succeeded { $0.plans[RandomPlan.name] = PlanSettings(plan.definition) }
  }

  /// - Returns: The first difference; nil: there was none.
  func play(moves: Int, _ counts: inout [String: Int]) async throws -> String? {
    for number in 0..<moves {
      guard let move = plan.move(model, sent) else { break }
      log.append("\(move)")
      try await make(move)
      try await takeAssignments()
      if let difference = try await difference(full: number % 8 == 0) {
        return "\(difference); \(plan.definition.steps); \(plan.definition.events); after \(log.suffix(20))"
      }
      counts[model.phase.rawValue, default: 0] += 1
    }
    count(&counts)
    return nil
  }

  private func make(_ move: RandomPlan.Move) async throws {
    switch move {
    case .start(let id):
      model.start(id)
      _ = try await books.bookkeeper.accept([Incoming(.start(PlanStart(id: id, plan: RandomPlan.name)))])
    case .end(let id, let result):
      model.end(id, result.state, code: result.code)
      guard let assignment = assignments.removeValue(forKey: id) else { return }
      try await books.record(books.report(assignment, result))
    case .tick:
      model.tick()
      try await books.bookkeeper.lookAtClock(.now() + .seconds(700))
    case .event(let id, let name):
      sent[id] = name
      model.receive(id, name)
      _ = try await books.bookkeeper.accept([Incoming(.event(EventSubmission(id: id, name: name)))])
    case .accept(let id):
      model.accept(id)
      for _ in 0..<2 { _ = try await books.bookkeeper.accept([Incoming(.choice(EventChoice(.accept, id)))]) }
    case .stop(let gates):
      model.stop(gates)
      _ = try await books.bookkeeper.stopPlan(PlanStopOrder(plan: RandomPlan.name, gates: gates)).get()
      try await books.doChores()
    case .restart: try await books.restart()
    }
  }

  /// Takes the assignments that were told, and drops those whose jobs have ended: their places are free then.
  private func takeAssignments() async throws {
    for assignment in try await books.told().assignments { assignments[assignment.job] = assignment }
    for (id, assignment) in assignments where model.row(id)?.isReleased != true {
      assignments[id] = nil
      try await books.drop(assignment.release)
      for again in try await books.told().assignments { assignments[again.job] = again }
    }
  }

  private func difference(full: Bool) async throws -> String? {
    let released = await Set(books.bookkeeper.released.values.filter { $0.department == "init" }.map(\.id))
    if released != Set(model.released.map(\.job.id)) {
      return "released: \(await names(released)), expected \(model.released.map(\.job.name))"
    }
    for row in model.rows {
      let job = try await books.job(row.job.id)
      guard let job, job.progress.state == row.job.state, job.round == row.job.round, job.step == row.job.name,
        job.order?.rank == row.job.rank
      else { return "\(row.job) is \(job.map { "\($0.progress.state) \($0.round ?? -1)" } ?? "not there")" }
    }
    if let difference = try await differenceInLedger() { return difference }
    guard full else { return nil }
    let (fresh, memory) = (try await books.freshMemory(), await books.bookkeeper.memory)
    return fresh == memory ? nil : "memory: \(memory.differences(from: fresh))"
  }

  private func names(_ ids: Set<JobID>) async -> [String] { ids.map { model.row($0)?.job.name ?? "\($0)" } }

  private func differenceInLedger() async throws -> String? {
    let (record, events) = try await books.ledger.read { [sent] queries in
      (try queries.phase(of: RandomPlan.name), try sent.keys.map { ($0, try queries.event($0)?.state) })
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

  private func count(_ counts: inout [String: Int]) {
    for row in model.rows {
      if row.job.isEvent, row.job.state.isFinal { counts["event acted", default: 0] += 1 }
      if row.job.round > 1 { counts["went back", default: 0] += 1 }
      let isOptional = model.rules.step(row.job.name)?.isRequired == false
      if isOptional, row.job.state == .failed, model.phase == .open { counts["passed over", default: 0] += 1 }
    }
  }
}

extension AttemptResult {
  fileprivate var state: JobState { if case .failed = self { .failed } else { .succeeded } }
  fileprivate var code: String? { if case .failed(let failure, _) = self { failure.code } else { nil } }
}
