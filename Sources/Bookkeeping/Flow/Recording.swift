import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// Records a batch of reports and of what else travels with them, and answers the claims in it.
struct Recording {
  let configuration: CoordinatorConfiguration
  let releases: Releases
  let roster: Roster
  let dueTimes: DueTimes
  let claiming: Claiming
  let withdrawing: Withdrawing
  let changing: Changing
  let holding: Holding
  let releasing: Releasing
  let ending: Ending
  let plans: PlanAdvancing
  let resizing: Resizing
  let recordedEarly: RecordedEarly
  let refusals: Refusals
  let time: LedgerTime
  let epoch: LedgerEpoch
  let chance: Chance

  func record(_ batch: [ReportMessage], _ turn: Turn) throws -> [Refusal] {
    var refused: [Refusal] = []
    for (index, message) in batch.enumerated() {
      if let failure = try take(message, turn) {
        if failure.code != JobFailure.Code.notAllowed { refusals.note(.report, failure.description, .warning) }
        refused.append(Refusal(index: index, failure: failure))
      }
      try plans.advance(turn)
    }
    return refused
  }

  private func take(_ message: ReportMessage, _ turn: Turn) throws -> JobFailure? {
    switch message {
    case .report(let report):
      guard report.ledger == epoch.ledger else { return otherLedger(report.ledger) }
      if !recordedEarly.take(report) { try record(report, turn) }
      answerFlawed(report, turn)
    // The workers claim again.
    case .claims where epoch.isQuiet: break
    case .claims(let requests):
      for claim in requests {
        guard isOurs(claim.ledger) else {
          try claiming.carryOut([.answer(claim, .drop)], turn)
          continue
        }
        try claiming.claim(claim, turn)
      }
    case .dropped(let dropped): if isOurs(dropped.ledger) { try take(dropped: dropped, turn) }
    case .returned(let returned): if isOurs(returned.ledger) { try take(returned: returned, turn) }
    case .adopt(let request): if isOurs(request.ledger) { try adopt(request, turn) }
    case .fence(let number, let ledger):
      if ledger == epoch.ledger { try claiming.fenceReturned(number, turn) }
    // Only a report has something in it that people may want to see.
    case .refused(let failure, let isReport): return isReport ? failure : nil
    case .flawed(let flawed):
      refusals.note(.report, "\(flawed.type): \(flawed.reason)", .warning)
      turn.answer(flawed)
    case .unreadable(let problem): return JobFailure(code: JobFailure.Code.unreadable, message: problem)
    }
    return nil
  }

  private func isOurs(_ other: LedgerID) -> Bool {
    if other == epoch.ledger { return true }
    refusals.noteStranger(other, here: epoch.ledger)
    return false
  }

  private func otherLedger(_ other: LedgerID) -> JobFailure {
    JobFailure(
      code: JobFailure.Code.otherLedger,
      message: "the report is for ledger \(other), this coordinator keeps \(epoch.ledger)")
  }
}

// MARK: - Reports

extension Recording {
  /// Whether a report that came ahead of its durable message counts for certain.
  func mayRecordEarly(_ report: Report) -> Bool {
    guard report.ledger == epoch.ledger, !epoch.isQuiet, let job = releases[report.job] else { return false }
    return job.release == report.release && job.progress.token == report.token
  }

  /// - Returns: The reports that were recorded.
  func recordEarly(_ reports: [Report], _ turn: Turn) throws -> [Report] {
    var recorded: [Report] = []
    // A report may be in a batch twice, and counts once.
    for report in reports where mayRecordEarly(report) {
      try record(report, turn)
      recorded.append(report)
      turn.tell(.recorded(report.worker, report.release))
      answerFlawed(report, turn)
      try plans.advance(turn)
    }
    return recorded
  }

  private func answerFlawed(_ report: Report, _ turn: Turn) {
    guard report.isFlawed, case .failed(let failure, _) = report.result else { return }
    refusals.note(.report, "\(failure.message) (job \(report.job))", .warning)
    let refused = RefusedMessage(type: ReportCodec.reportsType, failure: failure, release: report.release)
    turn.tell(.refused(report.worker, refused))
  }

  private func record(_ report: Report, _ turn: Turn) throws {
    try endVoid(report, turn)
    guard var job = releases[report.job] else { return ignore(report, turn) }
    if job.release == report.release, report.token == report.release.number { releases.noteFresh(job) }
    let (release, said) = (job.release, job.progress.saidAttempts)
    let reported = job.report(
      token: report.token, try result(of: report, job, turn), hint: report.hint,
      configuration.settings(of: job.kind).retry,
      random: chance.fraction, mustWait: epoch.isQuiet)
    if said != job.progress.saidAttempts { try turn.ledger.settleAttempts(of: job.number, job.progress.maxAttempts) }
    if reported != .stale, report.hint?.pausesDepartment == true {
      _ = try resizing.setPaused(job.department, true, turn)
    }
    switch reported {
    case .ended(let outcome):
      if outcome.state == .failed { turn.tally.countFailure(of: job.identity, isTriedAgain: false) }
      try ending.finish(job, outcome, LastRun(of: report, at: time.now), turn)
    case .failed(let attempt, let failure, let delay):
      let ended = try recordEnd(.failed, of: attempt, failure, report, job, turn)
      try turn.tellFailed(ended, of: job, ran: report.ran, retryAt: delay.map { time.now + $0 })
      turn.tally.countFailure(of: job.identity, isTriedAgain: true)
      try withdrawing.supersede(release, turn)
      try tryAgain(job, after: delay, turn)
    case .snoozed(let time):
      // It has begun in time.
      if job.startBy != nil { try turn.ledger.clearStartBy(of: job.number) }
      try recordEnd(.snoozed, of: job.progress.attempt, nil, report, job, turn)
      try withdrawing.supersede(release, turn)
      try tryAgain(job, after: time, turn)
    case .stale: ignore(report, turn)
    }
  }

  /// An attempt that has its plan go back ends its job: to try it again before the plan has gone back would not help. So does
  /// a snooze too many.
  private func result(of report: Report, _ job: LiveJob, _ turn: Turn) throws -> AttemptResult {
    if case .snoozed = report.result, try turn.ledger.unusedAttempts(of: job.number).snoozes >= SnoozeLimits.ofJob {
      return .failed(.snoozedTooOften(), isPermanent: true)
    }
    guard case .failed(let failure, isPermanent: false) = report.result,
      try plans.goesBack(job, on: failure.code, turn)
    else { return report.result }
    return .failed(failure, isPermanent: true)
  }

  @discardableResult
  private func recordEnd(
    _ end: AttemptRecord.End, of number: Int, _ failure: JobFailure?, _ report: Report, _ job: LiveJob, _ turn: Turn
  ) throws -> AttemptRecord {
    let run = LastRun(of: report, at: time.now)
    let attempt = AttemptRecord(
      number: number, worker: report.worker, startedAt: run.startedAt, endedAt: run.finishedAt, end: end,
      failure: failure)
    try turn.ledger.record(attempt, of: job.number)
    return attempt
  }

  /// Tries again when the back-off has passed; until then the job gives its place to others.
  private func tryAgain(_ job: LiveJob, after delay: Duration?, _ turn: Turn) throws {
    guard let delay else { return try releasing.releaseAgain(job, turn) }
    let time = time.now + delay
    try holding.hold(job, until: time, turn)
    dueTimes.expectDue(time)
  }

  /// The worker was given up, and its token does not count. It may ack the last message of the job: so the coordinator
  /// asks whether the worker with the present token has the job.
  private func ignore(_ report: Report, _ turn: Turn) {
    refusals.noteIgnoredReport()
    turn.tally.ignoredReports += 1
    if !epoch.isQuiet { claiming.claimGone(report.release) }
  }

  /// A run of a void release has ended: its place is free. A release that was to be changed, and ran all the same, is
  /// not changed.
  private func endVoid(_ report: Report, _ turn: Turn) throws {
    let wasEnded = releases.void.purpose(of: report.release) == .ended
    let (step, change) = try withdrawing.noteLearnt(report.release, turn) { $0.reported($1, token: report.token) }
    // Whether the job has ended, or is tried again, is not known yet.
    guard step == .forgotten, !wasEnded else { return }
    withdrawing.dropChange(change, of: report.release, because: "a worker has started it", turn)
  }
}

// MARK: - Releases that were not started

extension Recording {
  /// A worker had the message of a release, and dropped it. If the release is current, this coordinator began after it
  /// was made void: the message is gone, as if the worker had given it back, and the coordinator claims the release.
  private func take(dropped: UnstartedRelease, _ turn: Turn) throws {
    let (step, change) = try withdrawing.noteLearnt(dropped.release, turn) { $0.dropped($1) }
    switch step {
    case .forgotten: break
    case .change, .changeAndForget: try changing.carryOut(change, of: dropped.release, isGone: true, turn)
    case .ordinary:
      guard releases.live.isCurrent(dropped.release), let job = releases.live[dropped.release] else { return }
      try noteReturned(job, turn)
      claiming.askAbout(dropped.release)
    }
  }

  /// The message of a release is gone, and its job was not begun by it.
  private func noteReturned(_ job: LiveJob, _ turn: Turn) throws {
    // A coordinator that begins anew before the job is released again publishes it again.
    try turn.ledger.markUnconfirmed([job.number])
    releases.unconfirm([job], isReturned: true)
  }

  /// A worker without a handler for a release has acked its message. Another worker may run the release by another
  /// message: the coordinator claims the release, and releases the job again. No attempt is counted, unless the job was
  /// started before.
  private func take(returned: UnstartedRelease, _ turn: Turn) throws {
    if let job = releases.live[returned.release] {
      // What is not confirmed is to be published again already.
      if epoch.isQuiet, job.isConfirmed { releases.publishLater(job.release) }
      roster.gaveBack(job.kind, returned.worker)
      try noteReturned(job, turn)
    }
    if !epoch.isQuiet { claiming.claimGone(returned.release) }
  }

  /// A job runs for so long that its worker acks the message: from now on the lease of the worker alone governs the
  /// job. Only the worker with the current token has the job. A worker that runs a void release acks, too: the release
  /// keeps its place until the worker reports.
  private func adopt(_ request: AdoptionRequest, _ turn: Turn) throws {
    if var job = releases.live[request.release], job.progress.token == request.token {
      job.adoptedBy = request.worker
      _ = job.progress.apply(.seenRunning(release: job.release.number))
      try turn.ledger.adopt(job.number, by: request.worker)
      turn.put(job, in: releases)
      FaultPoint.reached("adoption.before-record")
    } else {
      let isVoid = releases.void.place(of: request.release) != nil
      guard isVoid, releases.void.token(of: request.release) == request.token else { return }
    }
    turn.tell(.adopted(request.worker, request.release))
  }
}
