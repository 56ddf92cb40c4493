import JobModel

/// Stands in the place of what could not be read of a plan. What is wrong with one of the two and not with the other is no
/// mistake of the file: nothing follows from what is missing.
enum PlanStandIn {
  case first, last

  var rank: Int { self == .first ? .min : .max }
  var department: Department { self == .first ? "first" : "last" }
  /// No step of a file can have such a name.
  func name(at index: Int) -> String { "\u{1}\(index)" }
  /// Nothing of a plan depends on a step's kind.
  var kind: JobKind { "step" }
}
