import Decisions
import JobModel
import JobTransport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("The list of plans, in the books")
struct PlanListingTests {
  private static let names: [PlanName] = ["a", "b", "c", "d", "e"]

  /// Five plans of the configuration: `b` was stopped before its first run, and `c` runs.
  private func books() async throws -> Books {
    let books = try await Books().succeeded { configuration in
      for name in Self.names {
        let plan = PlanDefinition(name: name, department: "init", steps: [PlanStep("only", 1)])
        configuration.plans[name] = PlanSettings(plan)
      }
    }
    _ = try await books.bookkeeper.stopPlan(PlanStopOrder(plan: "b", gates: .keep)).get()
    try await start("c", books)
    return books
  }

  private func start(_ name: PlanName, _ books: Books) async throws {
    #expect(try await books.bookkeeper.accept([Incoming(.start(PlanStart(id: JobID(), plan: name)))]).isEmpty)
  }

  /// The names on one page, in their order.
  private func shown(_ page: PlanPage) -> [String] {
    page.notStarted.map { "\($0) not_started" } + page.stopped.map { "\($0) stopped" }
      + page.plans.map { "\($0.name?.name ?? "") \($0.phase)" }
  }

  @Test("a plan that was stopped before its first run is shown as stopped")
  func stopped() async throws {
    let books = try await books()
    let page = try await books.bookkeeper.listPlans(PlanQuery())
    #expect(shown(page) == ["a not_started", "d not_started", "e not_started", "b stopped", "c running"])
    #expect(page.next == nil)
    #expect(try await books.bookkeeper.showPlan("b")?.phase == .stopped)
    #expect(try await shown(books.bookkeeper.listPlans(PlanQuery(department: "work"))).isEmpty)
  }

  @Test("plans without a run count for the limit of a page, and every plan is on one page", arguments: 1...6)
  func pages(limit: Int) async throws {
    let books = try await books()
    var (query, all) = (PlanQuery(limit: limit), [String]())
    repeat {
      let page = try await books.bookkeeper.listPlans(query)
      #expect(shown(page).count <= limit)
      all += shown(page)
      query.before = page.next
    } while query.before != nil && all.count <= Self.names.count
    #expect(all.sorted() == ["a not_started", "b stopped", "c running", "d not_started", "e not_started"])
    #expect(all.last == "c running", "runs come last")
  }

  @Test("a plan that begins between two pages hides no other one")
  func startedMeanwhile() async throws {
    let books = try await books()
    let first = try await books.bookkeeper.listPlans(PlanQuery(limit: 2))
    #expect(shown(first) == ["a not_started", "b stopped"])
    try await start("a", books)
    let rest = try await books.bookkeeper.listPlans(PlanQuery(before: first.next))
    #expect(shown(rest) == ["d not_started", "e not_started", "a running", "c running"])
  }

  @Test(
    "a place that nobody was told is answered, too", arguments: [.min, 0, 1 << 52, (1 << 53) - 200, .max] as [Int64])
  func foreignPlace(before: Int64) async throws {
    let books = try await books()
    let page = try await books.bookkeeper.listPlans(PlanQuery(before: before))
    let isAmongRuns = before < 1
    #expect(page.plans.map(\.name) == (isAmongRuns ? [] : ["c"]))
    #expect(page.notStarted.count == (before == .max ? 3 : 0))
  }
}
