/// Which refusals are logged. Anyone may send bad messages, as often as they like: within an interval the first of each
/// sort have a line each, with the reason, and the others are only counted. A pure value.
package struct RefusalLog: Sendable {
  /// The sorts, as the log names them.
  package enum Subject: String, CaseIterable, Sendable {
    case submission = "submission rejected"
    case report = "report refused"
    case presence = "presence unreadable"
    case number = "a number that no ledger gives was passed over"
    case request = "request not answered"
    case command = "command not carried out"
    case sender = "sender not allowed"
    case deadLetter = "messages that the broker took off a queue"
    case lostRelease = "a released job was gone from its queue"
  }

  /// The most lines of one sort within an interval.
  package static let limit = 20
  package static let interval: Duration = .seconds(60)

  private struct Count: Sendable {
    var since: Duration
    var logged = 0
    var silent = 0
  }

  private var counts: [Subject: Count] = [:]

  package init() {}

  /// Whether one more of that sort is to be logged now.
  package mutating func admits(_ subject: Subject, at now: Duration) -> Bool {
    var count = counts[subject] ?? Count(since: now)
    let isLogged = count.logged < RefusalLog.limit
    if isLogged { count.logged += 1 } else { count.silent += 1 }
    counts[subject] = count
    return isLogged
  }

  /// How many were counted only, of each sort whose interval has passed; the next interval begins with the next one.
  package mutating func takeSilent(at now: Duration) -> [(subject: Subject, count: Int)] {
    guard !counts.isEmpty else { return [] }
    let passed = Subject.allCases.compactMap { subject in counts[subject].map { (subject: subject, count: $0) } }
      .filter { now - $0.count.since >= RefusalLog.interval }
    for (subject, _) in passed { counts[subject] = nil }
    return passed.filter { $0.count.silent > 0 }.map { ($0.subject, $0.count.silent) }
  }
}
