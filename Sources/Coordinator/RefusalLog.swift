import JobModel
import Logging

/// Which refusals are logged. Anyone may send a bad message, as often as they like: within an interval the first of each
/// sort have a line each, with the reason, and what comes then is only counted. Pure.
struct RefusalLog: Sendable {
  /// What was refused, as its line says it.
  enum Subject: String, CaseIterable, Sendable {
    case submission = "submission rejected"
    case report = "report refused"
    case presence = "presence unreadable"
    case number = "a number that no ledger gives was passed over"
    case request = "request not answered"
    case command = "command not carried out"
    case sender = "sender not allowed"
  }

  /// The most lines of one sort within an interval.
  static let limit = 20
  static let interval: Duration = .seconds(60)

  private struct Count: Sendable {
    var since: Duration
    var logged = 0
    var silent = 0
  }

  private var counts: [Subject: Count] = [:]

  /// Whether one more of that sort is to be logged now.
  mutating func admits(_ subject: Subject, at now: Duration) -> Bool {
    var count = counts[subject] ?? Count(since: now)
    let isLogged = count.logged < RefusalLog.limit
    if isLogged { count.logged += 1 } else { count.silent += 1 }
    counts[subject] = count
    return isLogged
  }

  /// How many were counted only, of each sort whose interval has passed; the next interval begins with the next one.
  mutating func takeSilent(at now: Duration) -> [(subject: Subject, count: Int)] {
    guard !counts.isEmpty else { return [] }
    let passed = Subject.allCases.compactMap { subject in counts[subject].map { (subject: subject, count: $0) } }
      .filter { now - $0.count.since >= RefusalLog.interval }
    for (subject, _) in passed { counts[subject] = nil }
    return passed.filter { $0.count.silent > 0 }.map { ($0.subject, $0.count.silent) }
  }
}

extension Bookkeeper {
  /// Logs that something was refused, unless too much of its sort was within a short time.
  func logRefusal(_ subject: RefusalLog.Subject, _ reason: String, _ level: Logger.Level = .notice) {
    guard refusals.admits(subject, at: SessionClock.now) else { return }
    logger.log(level: level, "\(subject.rawValue)", metadata: ["reason": "\(reason)"])
  }

  /// Says how many were refused without a line of their own.
  func logSilentRefusals(at now: Duration) {
    for (subject, count) in refusals.takeSilent(at: now) {
      logger.notice(
        "\(subject.rawValue), and more of the same",
        metadata: ["more": "\(count)", "within": "\(RefusalLog.interval.inWords)"])
    }
  }
}
