import ArgumentParser
import Teller

/// `deposit=2`: two tellers for the department `deposit`.
struct Staffing: ExpressibleByArgument, Equatable {
  let department: Department
  let tellers: Int

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let department = Department(parts[0]), let tellers = Int(parts[1]),
      (1...WorkerError.mostTellers).contains(tellers)
    else { return nil }
    self.department = department
    self.tellers = tellers
  }

  /// How many tellers each department has. Of a department that is named twice the last number counts.
  static func tellers(of staffing: [Staffing]) -> [Department: Int] {
    Dictionary(staffing.map { ($0.department, $0.tellers) }, uniquingKeysWith: { $1 })
  }
}
