public import JobModel
package import JobTransport

/// Many jobs, named by what they have in common. There is no group without a word about what is in it: nobody cancels
/// everything by leaving something out.
public struct JobGroup: Hashable, Sendable {
  package let selection: JobSelection

  private init(_ selection: JobSelection) { self.selection = selection }

  /// Every job there is.
  public static let all = JobGroup(JobSelection())

  /// The jobs of a department.
  public static func department(_ department: Department) -> JobGroup {
    JobGroup(JobSelection(department: department))
  }

  /// The jobs of a kind; with a department only those that are in both.
  public static func kind(_ kind: JobKind, in department: Department? = nil) -> JobGroup {
    JobGroup(JobSelection(department: department, kind: kind))
  }
}
