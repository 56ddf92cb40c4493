public import JobModel
package import JobTransport

/// Many jobs, named by what they have in common. There is no scope without a word about what is in it: nobody cancels
/// everything by leaving something out.
public struct JobScope: Hashable, Sendable {
  package let selection: JobSelection

  private init(_ selection: JobSelection) { self.selection = selection }

  /// Every job there is.
  public static let all = JobScope(JobSelection())

  /// The jobs of a department.
  public static func department(_ department: Department) -> JobScope {
    JobScope(JobSelection(department: department))
  }

  /// The jobs of a kind; with a department only those that are in both.
  public static func kind(_ kind: JobKind, in department: Department? = nil) -> JobScope {
    JobScope(JobSelection(department: department, kind: kind))
  }
}
