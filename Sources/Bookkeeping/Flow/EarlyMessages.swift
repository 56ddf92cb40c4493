import DequeModule
import JobModel

/// The submissions and reports that came early and were recorded. Where the answer to one is lost, the message comes once more,
/// by its durable queue, and is passed over.
///
/// One that is forgotten here does no harm: the submission is known by its id, and the report's token does not count any
/// more.
final class EarlyMessages {
  private var submissions = RecentOnes<JobID>()
  private var reports = RecentOnes<Run>()

  private struct Run: Hashable {
    let release: ReleaseID
    let token: Int

    init(_ report: Report) { (release, token) = (report.release, report.token) }
  }

  /// The submission has been accepted.
  func note(_ submission: Submission) { submissions.note(submission.id) }

  /// The report has been recorded.
  func note(_ report: Report) { reports.note(Run(report)) }

  /// Whether the submission was accepted. The next time that it comes, it counts as any other.
  func take(_ submission: Submission) -> Bool { submissions.take(submission.id) }

  /// Whether the report was recorded. The next time that it comes, it counts as any other.
  func take(_ report: Report) -> Bool { reports.take(Run(report)) }

  /// Takes a message that was recorded, when it comes alone: then nothing is to be recorded.
  func takeAlone(_ batch: [Incoming]) -> Bool {
    guard batch.count == 1, case .job(let submission) = batch[0].content else { return false }
    return take(submission)
  }

  /// As for submissions.
  func takeAlone(_ batch: [ReportMessage]) -> Bool {
    guard batch.count == 1, let report = batch[0].report else { return false }
    return take(report)
  }
}

extension ReportMessage {
  var report: Report? {
    if case .report(let report) = self { report } else { nil }
  }
}

/// The last ones of many, each to be taken once.
struct RecentOnes<Element: Hashable> {
  /// The most that are remembered: more than are on their way at once.
  static var limit: Int { 1_000 }

  private var elements: Set<Element> = []
  /// All of the set, and some that were taken.
  private var order: Deque<Element> = []

  mutating func note(_ element: Element) {
    guard elements.insert(element).inserted else { return }
    if order.count == Self.limit, let oldest = order.popFirst() { elements.remove(oldest) }
    order.append(element)
  }

  mutating func take(_ element: Element) -> Bool {
    guard !elements.isEmpty, elements.remove(element) != nil else { return false }
    if elements.isEmpty { order.removeAll(keepingCapacity: true) }
    return true
  }
}
