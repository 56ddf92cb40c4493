import JobModel

/// The jobs that wait for a job, one for the other: the first one was submitted by somebody who may wait for as long as he
/// likes. A pure value. It goes with each job that a handler submits and waits for, as a header of the submitter's own.
struct WaitingChain: Hashable, Sendable {
  struct Link: Hashable, Sendable {
    var job: JobID
    var department: Department
  }

  /// `JOB@DEPARTMENT JOB@DEPARTMENT`, the first one first. Other languages may read and write it, too.
  static let header = "waited-for-by"
  /// How many jobs may wait, one for the other.
  static let longest = 8

  private(set) var links: [Link]

  /// The chain that ends with this job.
  init(to job: JobInfo) {
    let words = (job.headers[WaitingChain.header] ?? "").split(separator: " ")
    // No more than are ever written: the header is of somebody's own writing.
    links = words.prefix(WaitingChain.longest).compactMap { Link($0) } + [Link(job: job.id, department: job.department)]
  }

  var text: String { links.map { "\($0.job)@\($0.department)" }.joined(separator: " ") }
  /// How many jobs wait for the last one.
  var level: Int { links.count - 1 }

  func has(_ job: JobID) -> Bool { links.contains { $0.job == job } }
  func has(_ department: Department) -> Bool { links.contains { $0.department == department } }
}

extension WaitingChain.Link {
  fileprivate init?(_ word: Substring) {
    let parts = word.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let job = JobID(String(parts[0])), let department = Department(parts[1]) else { return nil }
    self.init(job: job, department: department)
  }
}

// What cannot end.
extension WaitingChain {
  /// Why the last job of the chain may not wait for that submission; nil: no reason is known before it is submitted.
  func obstacle(to id: JobID, after: [JobID]) -> String? {
    if links.count > WaitingChain.longest {
      return "\(WaitingChain.longest) jobs wait for it already, one for the other: wait for no further one"
    }
    if let job = ([id] + after).first(where: has) { return Self.itself(job) }
    return nil
  }

  /// Why it may not wait for a job that is recorded; nil: it may.
  ///
  /// - Parameter job: The job that runs, which is another one than the submitted one if that is a duplicate.
  /// - Returns: The reason.
  func obstacle(toAccepted job: JobID) -> String? { has(job) ? Self.itself(job) : nil }

  /// Why it may not wait for a job of that department; nil: it may. A lent teller is of no use where the coordinator
  /// releases no further job before the one that waits has ended.
  func obstacle(in department: DepartmentStatus) -> String? {
    guard has(department.department) else { return nil }
    let name = department.department
    if department.isOrdered {
      return "the department \(name) is ordered: its jobs run one after another, and a job that waits for it is in it; "
        + "submit it to another department"
    }
    if let cap = department.cap {
      return "the department \(name) has a cap of \(cap), and a job that waits for it counts in it; "
        + "submit it to another department, or take the cap away"
    }
    return nil
  }

  private static func itself(_ job: JobID) -> String {
    "it would wait for itself: job \(job) waits for the job that is submitted, or is that job, by its id, its key or its "
      + "\"after\"; take that away"
  }
}
