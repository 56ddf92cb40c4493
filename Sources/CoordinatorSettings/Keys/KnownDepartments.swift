import JobModel
import Yams

/// The departments of the file, for the parts of the file that name departments.
struct KnownDepartments {
  /// Nil: not known, because that part of the file cannot be read.
  let names: Set<Department>?
  /// Those of them that are certainly not ordered: nothing is wrong with what the file says of them.
  let unordered: Set<Department>

  /// Notes a department that does not exist.
  func check(_ department: Department?, at node: Node?, _ mistakes: inout Mistakes) {
    guard let names, let department, let node, !names.contains(department) else { return }
    let advice = Suggestion.question(for: department.name, in: names.map(\.name))
    mistakes.note(node, "there is no department \"\(department)\" under `departments:`\(advice)")
  }

  /// Notes a department of a plan that is not ordered.
  func checkOrder(of department: Department?, at node: Node?, _ mistakes: inout Mistakes) {
    guard let department, let node, unordered.contains(department) else { return }
    mistakes.note(
      node, "department \"\(department)\" is not ordered: a plan runs in a department with `ordered: true`")
  }
}
