import JobModel
import TestSupport
import Testing

@testable import Ledger

@Suite("lists of plans")
struct PlanPageTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  private static let departments: [Department] = ["init", "loans", "other"]

  private struct Known: Hashable {
    var number: Int64
    var department: Department
    var isOpen: Bool
  }

  /// Plans of several departments, some ended, with jobs between them.
  private func fill(_ ledger: Ledger, _ count: Int) throws -> [Known] {
    var random = SeededRandom(for: "pages of plans")
    return try ledger.write { transaction in
      try (0..<count).map { _ in
        _ = try transaction.acceptNew(.queued())
        let department = Self.departments[Int.random(in: 0..<3, using: &random)]
        let plan = PlanSubmission(id: JobID(), department: department, steps: [])
        let number = try transaction.acceptNew(plan)
        let isOpen = Bool.random(using: &random)
        if !isOpen { try transaction.finishPlan(plan.id, .succeeded(result: [], contentType: nil), at: .test(9)) }
        return Known(number: number, department: department, isOpen: isOpen)
      }
    }
  }

  private func all(_ filter: PlanFilter, _ ledger: Ledger) async throws -> [Int64] {
    var filter = filter
    var found: [Int64] = []
    repeat {
      let page = try await ledger.read { [filter] in try $0.plans(filter) }
      found += page.plans.map(\.number)
      filter.before = page.next
    } while filter.before != nil
    return found
  }

  @Test("are the newest first, of all departments or of one, open or ended, whatever the size of a page")
  func pages() async throws {
    try await temporary.with { ledger async throws in
      let known = try fill(ledger, 60)
      for limit in [1, 7, 100] {
        for department in [nil] + Self.departments.map(Optional.some) {
          for includesEnded in [true, false] {
            let filter = PlanFilter(department: department, includesEnded: includesEnded, limit: limit)
            let expected = known.filter {
              (department == nil || $0.department == department) && (includesEnded || $0.isOpen)
            }
            #expect(try await all(filter, ledger) == expected.map(\.number).sorted(by: >))
          }
        }
      }
      let nobody = PlanFilter(department: "nobody", includesEnded: true, limit: 9)
      #expect(try await all(nobody, ledger) == [])
    }
  }

  @Test("of a department with few plans among many a page looks at a limited number, and says where to go on")
  func walk() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        _ = try transaction.acceptNew(PlanSubmission(id: JobID(), department: "loans", steps: []))
        for _ in 0..<(Walk.limit + 5) {
          _ = try transaction.acceptNew(PlanSubmission(id: JobID(), department: "init", steps: []))
        }
      }
      let filter = PlanFilter(department: "loans", includesEnded: true, limit: 9)
      let first = try await ledger.read { try $0.plans(filter) }
      #expect(first.plans.isEmpty && first.next == 7)
      #expect(try await all(filter, ledger) == [1])
    }
  }

  @Test("each has its steps, and how many of them have ended")
  func steps() async throws {
    try await temporary.with { ledger async throws in
      let plan = PlanSubmission(id: JobID(), department: "init", steps: [])
      let number = try ledger.write { transaction in
        let number = try transaction.acceptNew(plan, at: .test(3))
        let step = try transaction.acceptNew(.queued(in: "init", plan: plan.id))
        _ = try transaction.acceptNew(.held(in: "init", plan: plan.id))
        _ = try transaction.acceptNew(.held(in: "init"))
        try transaction.end(step)
        return number
      }
      let open = ListedPlan(
        number: number, id: plan.id, department: "init", state: nil, acceptedAt: .test(3), finishedAt: nil, steps: 2,
        stepsDone: 1)
      #expect(try await ledger.read { try $0.plans(PlanFilter(limit: 9)) } == ListedPlans(plans: [open], next: nil))
      let failure = Outcome.failed(JobFailure(code: "c", message: "m"))
      try ledger.write { _ = try $0.finishPlan(plan.id, failure, at: .test(8)) }
      #expect(try await ledger.read { try $0.plans(PlanFilter(limit: 9)) }.plans.isEmpty)
      let ended = try await ledger.read { try $0.plans(PlanFilter(includesEnded: true, limit: 9)) }.plans
      #expect(ended.map(\.state) == [.failed] && ended.map(\.finishedAt) == [.test(8)])
    }
  }
}
