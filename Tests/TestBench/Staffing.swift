import ArgumentParser
import Teller

/// `deposit=2`: two tellers for the department `deposit`.
struct Staffing: ExpressibleByArgument {
  /// The most tellers that one worker may be given for a department.
  static let most = 10_000

  let department: Department
  let tellers: Int

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let department = Department(parts[0]), let tellers = Int(parts[1]),
      (1...Staffing.most).contains(tellers)
    else { return nil }
    self.department = department
    self.tellers = tellers
  }

  /// Tellers per department; of a department that is named twice the last counts.
  static func tellers(of staffing: [Staffing]) -> [Department: Int] {
    Dictionary(staffing.map { ($0.department, $0.tellers) }, uniquingKeysWith: { $1 })
  }
}
