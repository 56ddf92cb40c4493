import AuditSupport
import Decisions
import JobModel

/// What somebody needs a right for, and since when he has asked for it.
struct RightNeeded {
  let user: String
  let act: Access.Act
  /// Where; nil: nobody knows, or in none.
  var department: Department?
  /// Whether nothing else is needed.
  var isAll = true
  let since: Moment

  /// Whether he surely may do it.
  fileprivate func isGiven(by access: Access) -> Bool {
    let pass = access.pass(of: user)
    if isAll { return pass.refusal(of: act, in: department) == nil }
    return pass.refusal(of: .command) == nil && Departments.all.allSatisfy { pass.refusal(of: act, in: $0) == nil }
  }

  /// Whether he surely may not.
  fileprivate func isMissing(in access: Access) -> Bool {
    access.pass(of: user).refusal(of: act, in: department) != nil
  }
}

// A reload gives rights and takes them. What was asked may have been decided at any moment up to its answer.
extension World {
  /// Somebody is told that he may not do that.
  func checkRefused(_ right: RightNeeded, _ what: String) {
    let known = accesses(since: right.since)
    guard !known.isEmpty, known.allSatisfy(right.isGiven(by:)) else { return }
    failures.append("user \(right.user) is refused \(what), and was allowed to do that all the time")
  }

  /// Somebody is told that he has done that.
  func checkTaken(_ right: RightNeeded, _ what: String) {
    let known = accesses(since: right.since)
    guard !known.isEmpty, known.allSatisfy(right.isMissing(in:)) else { return }
    failures.append("\(what) is taken from user \(right.user), who was not allowed to do that at any time")
  }

  /// Who might do what since then. A second coordinator reloads at other times: nobody knows what it allows.
  private func accesses(since first: Moment) -> [Access] {
    otherLedgerServed ? [] : inForce.present(between: first, and: moment).map(\.configuration.access)
  }
}
