import Foundation
import JobModel
import TestSupport

@testable import JobTransport

/// Random values of the model, within what the model allows.
extension SeededRandom {
  mutating func chance() -> Bool { Bool.random(using: &self) }

  mutating func maybe<Value>(_ make: (inout SeededRandom) -> Value) -> Value? { chance() ? make(&self) : nil }

  mutating func name() -> String {
    let letters = Array("abcXYZ019-_")
    let count = Int.random(in: 1...100, using: &self)
    return String((0..<count).map { _ in letters[Int.random(in: 0..<11, using: &self)] })
  }

  /// Text with everything that a coder could trip over.
  mutating func text(_ limit: Int = 40) -> String {
    let pieces = ["a", "\"", "\\", "\n", "\u{0}", "\u{7F}", "/", "é", "🏦", "\u{2028}", " ", "\u{301}"]
    return (0..<Int.random(in: 0...limit, using: &self)).map { _ in pieces[Int.random(in: 0..<12, using: &self)] }
      .joined()
  }

  mutating func bytes() -> [UInt8] {
    (0..<Int.random(in: 0...200, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
  }

  mutating func kind() -> JobKind { JobKind(name()) ?? "k" }
  mutating func department() -> Department { Department(name()) ?? "d" }
  mutating func priority() -> Priority { Priority(Int.random(in: 0...9, using: &self)) ?? .normal }
  mutating func count() -> Int { Int.random(in: 0...(chance() ? 9 : JobProgress.highestNumber), using: &self) }
  mutating func job() -> JobID { JobID(version7: .now(), using: &self) }
  mutating func release() -> ReleaseID { ReleaseID(job: job(), number: count()) }
  mutating func ledger() -> LedgerID { LedgerID(job().description) }
  mutating func worker() -> WorkerID { WorkerID(job().description) }
  mutating func failure() -> JobFailure { JobFailure(code: name(), message: text()) }

  /// What a reply with that content may say beside it.
  mutating func decided(with content: Reply.Content) -> DecidedPart? {
    guard content == .accepted || content == .duplicate, chance() else { return nil }
    return DecidedPart(
      state: JobState.allCases.randomElement(using: &self), isSameContent: maybe { $0.chance() }, isAgain: chance(),
      replaces: maybe { $0.job() }, failure: maybe { $0.failure() })
  }

  mutating func time() -> Timestamp { Timestamp(milliseconds: Int64.random(in: 0...4_102_444_800_000, using: &self)) }
  mutating func span() -> Duration { .microseconds(Int64.random(in: 0...86_400_000_000, using: &self)) }

  mutating func trace() -> TraceContext {
    TraceContext(traceparent: maybe { $0.text() }, tracestate: maybe { $0.text() })
  }

  mutating func headers() -> [String: String] {
    Dictionary(list(0...4) { ("x" + $0.name(), $0.text()) }) { first, _ in first }
  }

  /// As a broker made it.
  private static let directReplyTo =
    "amq.rabbitmq.reply-to.g1h2AA5yZXBseUA4MTk1OTIwNAAAArwAAAAAawFnEg==.BiUW0ud9wQ8DbUFBGmWwmA=="

  mutating func reply() -> ReplyAddress {
    ReplyAddress(
      replyTo: chance() ? "teller.reply.\(job())" : Self.directReplyTo, correlationID: maybe { $0.text() },
      wait: chance() ? .accepted : .outcome)
  }

  mutating func submission() -> Submission {
    Submission(
      id: job(), kind: kind(), department: maybe { $0.department() }, priority: priority(), payload: bytes(),
      contentType: maybe { $0.name() }, submittedAt: maybe { $0.time() },
      maxAttempts: maybe { Int.random(in: 1...100, using: &$0) },
      rank: maybe { Int.random(in: 1...1_000_000, using: &$0) }, runAt: maybe { $0.submittedTime() },
      startBy: maybe { $0.submittedTime() }, timeout: maybe { $0.timeout() }, after: maybe { $0.dependencies() },
      key: maybe { $0.key() }, reply: maybe { $0.reply() }, trace: trace(),
      headers: headers())
  }

  mutating func submittedTime() -> SubmittedTime {
    // No further ahead than may be, as seen by a clock that is a little behind.
    let farthest = Submission.longestWait.milliseconds - 60_000
    if chance() { return .within(.milliseconds(Int64.random(in: 0...farthest, using: &self))) }
    let latest = Timestamp.now().milliseconds + farthest
    return .at(Timestamp(milliseconds: Int64.random(in: 0...latest, using: &self)))
  }

  mutating func timeout() -> Duration {
    .milliseconds(Int64.random(in: 1...Submission.timeoutLimits.upperBound.milliseconds, using: &self))
  }

  mutating func dependencies() -> Dependencies {
    let count = Int.random(in: 1...(chance() ? 3 : Dependencies.limit), using: &self)
    return Dependencies(jobs: (0..<count).map { _ in job() }, rule: chance() ? .fail : .cancel)
  }

  mutating func key() -> SubmissionKey {
    let seconds = Int64.random(in: 1...SubmissionKey.windowLimits.upperBound.components.seconds, using: &self)
    return SubmissionKey(
      text: chance() ? name() : "an é 🏦, \"\\\"", window: chance() ? .whileLive : .lasting(.seconds(seconds)))
  }

  mutating func json(depth: Int = 3) -> JSONValue {
    switch Int.random(in: 0...(depth > 0 ? 6 : 4), using: &self) {
    case 0: .null
    case 1: .bool(chance())
    case 2: .int(Int64.random(in: -9_007_199_254_740_991...9_007_199_254_740_991, using: &self))
    case 3: .double(Double(Int.random(in: -999...999, using: &self)) + 0.5)
    case 4: .string(text())
    case 5: .array((0..<3).map { _ in json(depth: depth - 1) })
    default: .object(["a": json(depth: depth - 1), "b" + text(): json(depth: depth - 1)])
    }
  }

  mutating func assignment() -> Assignment {
    Assignment(
      release: release(), token: count(), ledger: ledger(), epoch: count(), kind: kind(), department: department(),
      priority: priority(), attempt: count(), maxAttempts: maybe { 1 + $0.count() },
      step: maybe { StepInfo(plan: $0.job(), name: $0.name(), round: Int.random(in: 0...9, using: &$0)) },
      mustClaim: chance(), releasedAt: maybe { $0.time() },
      timeout: maybe { $0.timeout() },
      content: JobContent(payload: bytes(), contentType: maybe { $0.name() }, trace: trace(), headers: headers()),
      acceptedAt: maybe { $0.time() })
  }

  mutating func report() -> Report {
    let result = attemptResult()
    var hint: RetryHint?
    if case .failed(_, isPermanent: false) = result { hint = maybe { $0.hint() } }
    return Report(
      release: ReleaseID(job: job(), number: reportedCount()), token: reportedCount(), ledger: ledger(),
      worker: worker(), startedAgo: span(), ran: span(), result: result, hint: hint)
  }

  private mutating func attemptResult() -> AttemptResult {
    switch Int.random(in: 0...5, using: &self) {
    case 0: .failed(failure(), isPermanent: true)
    case 1, 2: .failed(failure(), isPermanent: false)
    case 3:
      .snoozed(
        .milliseconds(
          Int64.random(in: SnoozeLimits.shortest.milliseconds...SnoozeLimits.longest.milliseconds, using: &self)))
    case 4: .discarded(failure())
    default: .succeeded(result: bytes(), contentType: maybe { $0.name() })
    }
  }

  /// It says something.
  mutating func hint() -> RetryHint {
    let attempts = maybe { Int.random(in: Submission.attemptLimits, using: &$0) }
    let wait = Int64.random(in: 0...RetryHint.longestWait.milliseconds, using: &self)
    return RetryHint(
      attempts: attempts, wait: attempts == nil || chance() ? .milliseconds(wait) : nil,
      atLeast: chance() ? .milliseconds(wait) : nil, pausesDepartment: chance())
  }

  /// A number of at most as many digits as a report's line may have.
  private mutating func reportedCount() -> Int { count() % 1_000_000_000_000_000_000 }

  /// Reports of one worker under one ledger.
  mutating func reports(_ counts: ClosedRange<Int> = 1...9) -> [Report] {
    let first = report()
    return list(counts) { random in
      var report = random.report()
      (report.ledger, report.worker) = (first.ledger, first.worker)
      return report
    }
  }

  mutating func claim() -> ClaimRequest {
    ClaimRequest(
      release: release(), ledger: ledger(), worker: worker(), number: count(),
      attempts: maybe { Int.random(in: Submission.attemptLimits, using: &$0) })
  }

  mutating func list<Value>(_ counts: ClosedRange<Int>, _ make: (inout SeededRandom) -> Value) -> [Value] {
    (0..<Int.random(in: counts, using: &self)).map { _ in make(&self) }
  }

  mutating func claims() -> [ClaimRequest] {
    let first = claim()
    return list(0...9) { random in
      var claim = random.claim()
      (claim.ledger, claim.worker) = (first.ledger, first.worker)
      return claim
    }
  }

  mutating func unstarted() -> UnstartedRelease {
    UnstartedRelease(release: release(), ledger: ledger(), worker: worker())
  }

  mutating func shares() -> [String: [JobKind: Int]] {
    chance() ? [:] : [name(): Dictionary([(kind(), 1), (kind(), 65_535)]) { first, _ in first }]
  }

  mutating func adoption() -> AdoptionRequest {
    AdoptionRequest(release: release(), token: count(), ledger: ledger(), worker: worker())
  }

  mutating func staffing() -> Staffing {
    Staffing(
      tellers: Dictionary([(name(), 0), (name(), 65_535)]) { first, _ in first }, paused: list(0...3) { $0.name() },
      beside: shares(), ahead: ahead(), isToDrain: chance())
  }

  mutating func ahead() -> [String: Int] {
    chance() ? [:] : Dictionary([(name(), 1), (name(), 65_535)]) { first, _ in first }
  }

  mutating func retries() -> [JobKind: RetrySettings] {
    let retry = RetrySettings(first: .milliseconds(1), factor: 1.5, longest: .seconds(9), jitter: 0.25)
    return chance() ? [:] : [kind(): retry, kind(): RetrySettings()]
  }

  mutating func welcome() -> Welcome {
    let void = list(0...5) { $0.release() }
    return Welcome(
      ledger: ledger(), epoch: count(), session: count(), departments: list(0...3) { $0.department() },
      unknown: list(0...3) { $0.text() }, refusal: maybe { $0.failure() }, staffing: staffing(), void: void,
      ended: Array(void.prefix(2)), retries: retries(), sentMs: maybe { Int64($0.count()) },
      atMs: maybe { $0.time().milliseconds }, leaseMs: maybe { Int64($0.count()) })
  }

  mutating func answer() -> ClaimAnswer {
    let verdict: Verdict =
      switch Int.random(in: 0...2, using: &self) {
      case 0: .run(token: count(), attempt: count())
      case 1: .elsewhere
      default: .drop
      }
    return ClaimAnswer(release: release(), claim: count(), verdict: verdict, number: maybe { $0.count() })
  }

  mutating func presence() -> Presence {
    var presence = Presence(
      worker: worker(), session: count(), name: text(),
      tellers: Dictionary([(name(), 3), (name(), 65_535)]) { first, _ in first },
      kinds: maybe { Set($0.list(0...3) { $0.kind() }) }, beside: shares(), ahead: ahead(),
      paused: list(0...3) { $0.name() }, stuck: ahead(), ledger: maybe { $0.ledger() }, probe: count(),
      running: list(0...3) { RunningRelease(release: $0.release(), token: $0.count(), isStuck: $0.chance()) },
      waiting: list(0...3) { WaitingRelease(release: $0.release(), token: $0.count(), mustClaim: $0.chance()) },
      isDraining: chance(), isGoodbye: chance())
    presence.drainMs = maybe { Int64($0.count()) }
    presence.sentMs = maybe { Int64($0.count()) }
    return presence
  }

  mutating func started() -> Started {
    Started(
      worker: worker(), release: release(), token: count(), kind: kind(), department: department(), attempt: count())
  }

  mutating func outcome() -> Outcome {
    switch Int.random(in: 0...2, using: &self) {
    case 0: .succeeded(result: bytes(), contentType: maybe { $0.name() })
    case 1: .failed(failure())
    default: .cancelled(failure())
    }
  }

  private mutating func event() -> String {
    let states = [EventState.kept, .acted, .announced, .dismissed].map(PlanNews.word)
    let jobs = ["succeeded", "failed", "cancelled", "started", "progress"]
    let events = jobs + OptionalEvent.allCases.map(\.rawValue) + states
    return events[Int.random(in: 0..<events.count, using: &self)]
  }

  mutating func notification(seq: Int64?) -> JobModel.Notification {
    JobModel.Notification(
      seq: seq, job: maybe { $0.job() }, kind: maybe { $0.kind() }, department: maybe { $0.department() },
      event: event(), attempt: maybe { $0.count() }, at: time(), startedAgoMs: maybe { Int64($0.count()) },
      runMs: maybe { Int64($0.count()) },
      error: maybe { $0.failure() }, plan: maybe { $0.planName() }, name: maybe { $0.text() },
      key: maybe { $0.text() }, retryAt: maybe { $0.time() },
      progress: maybe { $0.progress().fraction }, text: maybe { $0.text() })
  }

  mutating func progress() -> RunProgress {
    RunProgress(Double.random(in: 0...1, using: &self), maybe { $0.text() })
  }

  mutating func workerProgress(runs count: Int) -> WorkerProgress {
    let runs = (0..<count).map { _ in WorkerProgress.Run(release: release(), token: self.count(), progress()) }
    return WorkerProgress(worker: worker(), runs: runs)
  }
}
