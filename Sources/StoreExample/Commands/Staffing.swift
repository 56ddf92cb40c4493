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
}
