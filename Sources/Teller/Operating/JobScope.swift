public import JobModel
import JobTransport

/// The jobs that a command is about, by department, kind and other filters.
///
///     let operation = try await client.cancel(.kind("letter", in: "loan"))
///
/// A scope always names its jobs, if only as ``all``: nobody cancels every job by leaving a word out.
public struct JobScope: Hashable, Sendable {
  let selection: JobSelection

  private init(_ selection: JobSelection) { self.selection = selection }

  /// All jobs.
  public static let all = JobScope(JobSelection())

  /// The jobs of a department.
  public static func department(_ department: Department) -> JobScope {
    JobScope(JobSelection(department: department))
  }

  /// Of these jobs only those that pass the filter too.
  ///
  ///     let operation = try await client.drop(.department("loan").only(JobNarrowing(error: "bad_customer")))
  public func only(_ filter: JobNarrowing) -> JobScope {
    var selection = selection
    selection.narrowing = filter
    if !filter.isEmpty { selection.all = nil }
    return JobScope(selection)
  }

  /// The jobs of a kind; with a department only the jobs of that kind in that department.
  public static func kind(_ kind: JobKind, in department: Department? = nil) -> JobScope {
    JobScope(JobSelection(department: department, kind: kind))
  }
}
