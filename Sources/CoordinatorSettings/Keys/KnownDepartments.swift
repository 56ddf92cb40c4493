import JobModel
import Yams

/// The departments of the file, for the parts of the file that name departments.
struct KnownDepartments {
  /// Nil: not known, because that part of the file cannot be read.
  let names: Set<Department>?

  /// Notes a department that does not exist.
  func check(_ department: Department?, at node: Node?, _ mistakes: inout Mistakes) {
    guard let names, let department, let node, !names.contains(department) else { return }
    let advice = Suggestion.question(for: department.name, in: names.map(\.name))
    mistakes.note(node, "there is no department \"\(department)\" under `departments:`\(advice)")
  }
}
