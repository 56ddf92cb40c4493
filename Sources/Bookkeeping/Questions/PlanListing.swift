import Decisions
package import JobModel
package import Ledger

/// The list of plans: first those of the configuration that have had no run, by name, then runs, the newest first.
extension Bookkeeper {
  /// The next plans.
  package func listPlans(_ query: PlanQuery) async throws(LedgerError) -> PlanPage {
    let clock = parts.time.clock
    let names = NamesWithoutRun(configuration, query)
    return try await ledger.read { ledger in
      var page = try names?.page(ledger, limit: query.limit) ?? PlanPage(plans: [], next: nil)
      // Names alone fill the page.
      if page.next != nil { return page }
      let listed = try ledger.plans(
        PlanFilter(
          department: query.department, includesEnded: query.includesEnded, before: names == nil ? query.before : nil,
          limit: query.limit - page.notStarted.count - page.stopped.count))
      page.plans = listed.plans.map { PlanStatus($0, by: clock) }
      page.next = listed.next
      return page
    }
  }
}

/// The part of the list before all runs.
///
/// A place in it is the place of a name among all names of the configuration: so no name is left out when a plan begins
/// between two pages.
private struct NamesWithoutRun {
  /// Of all plans of the list, by name.
  let names: [PlanName]
  /// How many of them the pages before have passed.
  let start: Int

  /// A page's `next` is a number. These are above the numbers of all runs, and JavaScript has them exactly.
  private static let places: ClosedRange<Int64> = (1 << 52)...((1 << 53) - 1)

  /// Nil: the query goes on among the runs.
  init?(_ configuration: CoordinatorConfiguration, _ query: PlanQuery) {
    let before = query.before ?? Self.places.upperBound
    guard before >= Self.places.lowerBound else { return nil }
    start = Int(max(0, Self.places.upperBound - before))
    let department = query.department
    let plans = configuration.plans.mapValues(\.definition.department)
    names = plans.filter { department ?? $0.value == $0.value }.keys.sorted()
  }

  /// A page without `next` has room for runs.
  func page(_ ledger: LedgerQueries, limit: Int) throws -> PlanPage {
    var page = PlanPage(plans: [], next: nil)
    for (place, name) in names.enumerated().dropFirst(start) {
      let record = try ledger.phase(of: name)
      if record?.run != nil { continue }
      if record?.phase == .stopped { page.stopped.append(name) } else { page.notStarted.append(name) }
      if page.notStarted.count + page.stopped.count == limit {
        page.next = Self.places.upperBound - Int64(place + 1)
        break
      }
    }
    return page
  }
}

extension PlanStatus {
  fileprivate init(_ plan: ListedPlan, by clock: LedgerClock) {
    self.init(
      id: plan.id, name: plan.name, phase: plan.phase ?? PlanPhase(of: plan.state), number: plan.number,
      department: plan.department, state: plan.state ?? .held, steps: plan.steps,
      stepsDone: plan.stepsDone, acceptedAt: clock.wallTime(of: plan.acceptedAt),
      finishedAt: plan.finishedAt.map(clock.wallTime))
  }
}
