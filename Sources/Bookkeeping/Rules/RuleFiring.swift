import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// Makes the jobs of rules: in the transaction of the notification, so that both are recorded, or neither.
struct RuleFiring {
  let rules: RuleBook
  let accepting: Accepting
  let time: LedgerTime
  let epoch: LedgerEpoch
  let logger: Logger

  /// The most bytes of the payload of such a job, and of what its template is made of: as those of a submission.
  static let payloadLimit = SubmissionCodec.defaultBodyLimit

  /// Makes the jobs of all notifications of the turn that no rule has looked at yet, also of those that this causes: a job
  /// may end as it is accepted. Each link of a chain is counted, so this ends.
  func fire(_ turn: Turn) throws {
    if rules.isEmpty { return }
    while let notification = turn.nextForRules() {
      // That the key is free is offered to all, as if the job had ended before.
      let isEnd = notification.event != OptionalEvent.keyFreed.rawValue
      let isReset = isEnd && notification.job.map(turn.resetJobs.contains) ?? false
      // Webhooks deliver that the last use has ended. A job of any other rule would be taken for one of the next use.
      for rule in rules.rules(for: notification) where !isReset || !WebhookSettings.isFree(rule.name) {
        try fire(rule, notification, turn)
      }
    }
  }

  /// Whether the turn has told something that no rule has looked at yet.
  func isToFire(_ turn: Turn) -> Bool { !rules.isEmpty && turn.hasUnruled }

  private func fire(_ rule: Rule, _ notification: Notification, _ turn: Turn) throws {
    guard let seq = notification.seq else { return }
    let place = NotificationPosition(epoch: epoch.number, seq: seq)
    let depth = try notification.job.flatMap(turn.ledger.ruleOrigin)?.depth ?? 0
    let origin = RuleOrigin(rule: rule.name, notification: place, cause: notification.job, depth: depth + 1)
    do {
      if depth >= Rule.longestChain { throw JobFailure.chainTooLong(rule.name, of: notification) }
      let source = try RuleSource(time.clock.shown(notification), place, for: rule, turn.ledger)
      let submission = try source.submission(JobID(rule: rule.name, of: place, in: epoch.ledger))
      let accepted = try accepting.accept(submission, by: .everything, at: time.now, turn)
      if case .known(let first) = accepted, first.id != submission.id { note(rule, first) }
      try turn.ledger.add(origin, of: submission.id)
      FaultPoint.reached("rules.before-record")
    } catch let rejection as Rejection {
      try tell(rule, rejection.failure, notification, turn)
    } catch let failure as JobFailure {
      try tell(rule, failure, notification, turn)
    }
  }

  /// Another job has the key, as the rule has it: one job of many notifications. A job that will not run is worth a
  /// warning.
  private func note(_ rule: Rule, _ first: Job) {
    let willRun = first.progress.state != .failed && first.progress.state != .cancelled
    logger.log(
      level: willRun ? .debug : .warning, "a rule made no job: another one has its key",
      metadata: ["rule": "\(rule.name)", "job": "\(first.id)", "state": "\(first.progress.state)"])
  }

  /// A rule could not make its job: nobody waits for an answer, so it is told to all.
  private func tell(_ rule: Rule, _ failure: JobFailure, _ source: Notification, _ turn: Turn) throws {
    logger.error(
      "a rule made no job", metadata: ["rule": "\(rule.name)", "of": "\(source.event)", "reason": "\(failure)"])
    try turn.notify(.ruleFailed, about: .rule(rule.name.name)) { event in
      Notification(
        job: source.job, kind: source.kind, department: source.department, event: event, at: time.now, error: failure,
        name: rule.name.name, key: source.key)
    }
  }
}

extension JobFailure {
  fileprivate static func chainTooLong(_ rule: RuleName, of notification: Notification) -> JobFailure {
    JobFailure(
      code: Code.ruleChain,
      message:
        "rule \"\(rule)\" makes no job of this: \(Rule.longestChain) rules have led to it one after another, and "
        + "no chain may be longer; narrow the rule's `on:`")
  }
}
