import JobModel
import Teller

// Results may hold what is nobody's business: they are shown when somebody asks for one, and is allowed to.

extension JobRecord {
  mutating func hideResult() { (result, resultData) = (nil, nil) }
}

extension KeyStatus {
  mutating func hideResult() { (result, resultData) = (nil, nil) }
}

extension JobScope {
  /// The jobs of a department, of a kind, of both, or all.
  static func of(_ department: Department?, _ kind: JobKind?) -> JobScope {
    if let kind { return .kind(kind, in: department) }
    return department.map(JobScope.department) ?? .all
  }
}
