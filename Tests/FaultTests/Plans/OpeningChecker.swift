import AuditSupport
import Foundation

/// Compares the runs of an opening with the rules.
///
/// The death of a worker alone excuses a second run of a job: the first one was cut off, and at least once is what is
/// promised. A job that may be tried once does not even run then.
struct OpeningChecker {
  var runs: [StepRun]
  /// Which worker was dead before which line.
  var deaths: [pid_t: Int] = [:]
  /// When the outcome of each job was recorded, in milliseconds since 1970.
  var finished: [String: Int64] = [:]

  /// The job that the test submits behind everything: what runs twice has done so before.
  static let closing = "closing"
  static let customer = "customer"

  private var customers: [StepRun] { runs.filter { $0.name == OpeningChecker.customer } }
  private var ordered: [StepRun] { runs.filter { $0.name != OpeningChecker.customer } }

  /// Compares the runs with what was wanted.
  ///
  /// - Parameters:
  ///   - order: The labels of the runs in the ordered department, without the closing one.
  ///   - customers: How many customers there were.
  /// - Returns: What is wrong, for people.
  func problems(order: [String], customers: Int = 0) -> [String] {
    problemsOfOrder(order) + repeated + overlapping + early
      + (self.customers.count == customers ? [] : ["\(self.customers.count) runs of \(customers) customers"])
  }

  private func problemsOfOrder(_ order: [String]) -> [String] {
    var seen: Set<String> = []
    let found = ordered.filter { seen.insert($0.job).inserted }.map(\.label)
    let wanted = order + [OpeningChecker.closing]
    return found == wanted ? [] : ["the order is \(found), not \(wanted)"]
  }

  private func isCutOff(_ run: StepRun) -> Bool { run.ended == nil && deaths[run.pid] != nil }

  private var repeated: [String] {
    let again = Dictionary(grouping: runs, by: \.job).values.filter { !$0.dropLast().allSatisfy(isCutOff) }
    let late = runs.filter { run in finished[run.job].map { run.began.time > $0 } ?? false }
    return again.map { "\($0[0].label) ran \($0.count) times" }
      + late.map { "\($0.label) began after its outcome was recorded" }
  }

  /// Of the ordered department.
  private var overlapping: [String] {
    ordered.indices.flatMap { index in
      let run = ordered[index]
      let end = run.ended?.number ?? deaths[run.pid] ?? .max
      return ordered[(index + 1)...].filter { $0.began.number < end }
        .map { "\($0.label) began while \(run.label) ran" }
    }
  }

  /// Customers who came in before the bank was open.
  private var early: [String] {
    let last = ordered.filter { $0.name != OpeningChecker.closing }.map { $0.ended?.number ?? $0.began.number }.max()
    let early = customers.filter { $0.began.number < last ?? 0 }
    return early.isEmpty ? [] : ["\(early.count) customers ran before the bank was open"]
  }
}
