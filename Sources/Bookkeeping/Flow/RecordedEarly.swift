import DequeModule
import JobModel

/// The reports that came early and were recorded. Where the answer to one is late or lost, the report comes once more, by its
/// durable queue. It is passed over then: otherwise it would count as that of a worker that was given up.
///
/// A report is noted when its turn is on disk, never before: a turn that fails is undone, and the durable report counts. A
/// report that is forgotten here does no harm, since its token does not count any more. A submission is not noted at all: the
/// ledger knows it by its id, and its durable message is answered as any that comes twice.
final class RecordedEarly {
  private var runs = RecentOnes<Run>()

  private struct Run: Hashable {
    let release: ReleaseID
    let token: Int

    init(_ report: Report) { (release, token) = (report.release, report.token) }
  }

  func note(_ reports: [Report]) { for report in reports { runs.note(Run(report)) } }

  /// Whether the report was recorded. The next time that it comes, it counts as any other.
  func take(_ report: Report) -> Bool { runs.take(Run(report)) }

  /// Takes a report that was recorded, when it comes alone: then nothing is to be recorded.
  func takeAlone(_ batch: [ReportMessage]) -> Bool {
    guard batch.count == 1, let report = batch[0].report else { return false }
    return take(report)
  }

  /// The memory is read anew from the ledger, which may not have all of them.
  func forgetAll() { runs = RecentOnes() }
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
