import Teller

/// Makes the report of the day, from the coordinator's records and not from events: an event may be missing.
struct Closing: Sendable {
  let client: TellerClient
  let pace: Pace
  let customers: [Customer]

  func report(failed: Int, makespan: Duration, tellers: [Department: Int]) async throws -> DayReport {
    let records = try await records(of: customers.map(\.id))
    let counters = Business.allCases.map { business in
      let customers = customers.filter { $0.business == business }
      let times = customers.compactMap { records[$0.id] }
      return DayReport.Measured(
        business: business, tellers: tellers[business.department] ?? 0, customers: customers.count,
        serviceTime: pace.scaled(business.serviceTime), waits: times.compactMap(\.waited),
        runs: times.compactMap(\.ran))
    }
    return DayReport(
      served: customers.count - failed, failed: failed, makespan: makespan, counters: counters,
      opening: try await opening())
  }

  private func opening() async throws -> OpeningRecord {
    let plan = try await client.plan(Opening.plan)
    return OpeningRecord(plan, try await records(of: plan.steps.compactMap(\.job)))
  }

  private func records(of ids: [JobID]) async throws -> [JobID: JobRecord] {
    try await withThrowingTaskGroup(of: JobRecord.self) { group in
      for id in ids { group.addTask { try await client.job(id) } }
      return try await group.reduce(into: [:]) { $0[$1.id] = $1 }
    }
  }
}
