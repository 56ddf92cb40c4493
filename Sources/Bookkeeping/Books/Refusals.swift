import Decisions
import JobModel
import Logging

/// What was refused or passed over: counted, and logged as long as it is not too much.
final class Refusals {
  /// Messages of users who may not send them.
  private(set) var notAllowed = 0
  /// Reports with a token that a later release or grant replaced, and those about jobs that have ended.
  private(set) var ignoredReports = 0
  /// Other ledgers whose reports and questions have come here; each is logged once.
  private(set) var strangers: Set<LedgerID> = []
  private var log = RefusalLog()
  private let time: LedgerTime
  private let logger: Logger

  /// How many other ledgers are logged; nobody has so many.
  static let mostStrangers = 16

  init(_ time: LedgerTime, _ logger: Logger) { (self.time, self.logger) = (time, logger) }

  /// Logs that something was refused, unless too much of its sort was within a short time.
  func note(_ subject: RefusalLog.Subject, _ reason: String, _ level: Logger.Level = .notice) {
    guard log.admits(subject, at: time.monotonic) else { return }
    logger.log(level: level, "\(subject.rawValue)", metadata: ["reason": "\(reason)"])
  }

  /// A message was refused because of its sender.
  func noteNotAllowed(_ failure: JobFailure) {
    notAllowed += 1
    note(.sender, failure.message, .warning)
  }

  func noteIgnoredReport() { ignoredReports += 1 }

  /// Says how many were refused without a line of their own.
  func logSilent(at now: Duration) {
    for (subject, count) in log.takeSilent(at: now) {
      logger.notice(
        "\(subject.rawValue), and more of the same",
        metadata: ["more": "\(count)", "within": "\(RefusalLog.interval.inWords)"])
    }
  }

  /// Logs another ledger, once. Its claims are not parked, unlike its reports: workers repeat them, and nobody needs
  /// them.
  func noteStranger(_ other: LedgerID, here ledger: LedgerID) {
    guard strangers.count < Refusals.mostStrangers, strangers.insert(other).inserted else { return }
    logger.warning(
      """
      workers still have jobs in hand that ledger \(other) released, and this coordinator keeps \(ledger): what \
      they ask about them is passed over
      """)
  }
}
