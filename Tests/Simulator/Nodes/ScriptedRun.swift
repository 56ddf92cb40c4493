import AuditSupport
import JobModel
import Teller

/// One run of a handler.
final class ScriptedRun {
  let number: Int
  private let start: WorkerStart
  private let script: Script
  private let startedAt: Duration
  unowned let node: WorkerNode
  private let index: Int
  private var reason: RunControl.Reason?
  private(set) var isOver = false
  private var isWaiting = false

  var release: ReleaseID { start.assignment.release }
  var token: Int { start.assignment.token }
  var world: World { node.world }

  init(_ start: WorkerStart, on node: WorkerNode, number: Int) {
    (self.start, self.node, self.number) = (start, node, number)
    script = Script(start.assignment.content.payload)
    startedAt = node.world.now
    index = node.world.runs.count
    node.world.runs.append(
      Run(job: start.assignment.job, attempt: start.assignment.attempt, pid: node.pid, began: node.world.moment))
    checkCompany()
    noteOrder()
    node.world.trace.say(node.world.now, node.name, "begins \(release), attempt \(start.assignment.attempt)")
    begin()
  }

  private var policy: HandlerPolicy { Script.policies(of: start.assignment.kind)[start.assignment.department] }

  private func begin() {
    if let limit = start.assignment.timeout ?? policy.timeout {
      node.after(limit, "has run out of time with \(release)") { [self] in
        if !isOver { node.take(.timeLimitPassed(release, limit)) }
      }
    }
    tellProgressSometimes()
    if start.problem != nil { return soon(.failed(JobFailure(code: "unreadable", message: "?"), isPermanent: false)) }
    switch script.act {
    case .hang, .deaf: break
    case .kill where starts <= script.times:
      if starts == 2 { world.atSecondRun.removeValue(forKey: release.job)?() }
      node.after(script.length, "dies of \(release)") { [node, world] in world.kill(node) }
    case .wait: node.after(script.length / 2, "waits in \(release)") { [self] in wait() }
    default: node.after(script.length, "ends \(release)") { [self] in end(result) }
    }
  }

  private func noteOrder() {
    guard Departments.inOrder.contains(start.assignment.department), let file = world.coordinators.first?.file else {
      return
    }
    world.runs[index].order = try? file.reading.order(of: release.job)
  }

  /// Whether workers died of the job twice, when it began.
  private(set) var isSuspect = false

  /// No two jobs of which workers may have died run in one worker: nobody could tell which of them it was.
  private func checkCompany() {
    guard starts > 2, !world.isRolledBack, !world.otherLedgerServed, let file = world.coordinators.first?.file else {
      return
    }
    isSuspect = ((try? file.reading.deaths(of: release.job)) ?? 0) >= 2
    guard isSuspect, let other = node.handlers.values.first(where: { $0 !== self && $0.isSuspect }) else { return }
    world.failures.append(
      "\(node.name) begins \(release.job) beside \(other.release.job), and workers died of both of them")
  }

  /// How often the job has begun, with this run.
  private var starts: Int { world.runs[...index].count { $0.job == release.job } }

  /// How often the job has run to an end before.
  private var earlier: Int { world.runs[..<index].count { $0.job == release.job && $0.end != nil } }

  private var result: AttemptResult {
    let done = AttemptResult.succeeded(result: Array("1".utf8), contentType: "application/json")
    switch script.act {
    case .succeed, .hang, .deaf, .wait, .kill: return done
    case .fail, .later, .pause:
      let failure = JobFailure(code: "broken", message: "it broke")
      return start.assignment.attempt <= script.times ? .failed(failure, isPermanent: false) : done
    case .hopeless: return .failed(JobFailure(code: "hopeless", message: "it cannot be"), isPermanent: true)
    case .snooze: return earlier < script.times ? .snoozed(Script.snooze) : done
    case .discard: return .discarded(JobFailure(code: "discarded", message: "nothing is to be done"))
    }
  }

  private func soon(_ result: AttemptResult) {
    node.after(world.span(10...900), "ends \(release)") { [self] in end(result) }
  }

  func cancel(_ reason: RunControl.Reason) {
    guard self.reason == nil, !isOver else { return }
    self.reason = reason
    world.sometimes.note(reason == .jobEnded ? .cancelledRunning : .timedOut)
    if isWaiting { node.take(.goesOnWithoutTeller(release)) }
    if script.act != .deaf { return soon(cancelled(reason)) }
    node.after(.seconds(2), "is stuck in \(release)") { [self] in
      if isOver { return }
      world.sometimes.note(.stuck)
      node.take(.stuck(release, reason))
      node.after(.milliseconds(world.number(100...8_000)), "ends \(release) after all") { [self] in
        end(cancelled(reason))
      }
    }
  }

  private func cancelled(_ reason: RunControl.Reason) -> AttemptResult {
    switch reason {
    case .timeout(let limit): .failed(.timeout(limit), isPermanent: false)
    case .jobEnded, .closed: .failed(.cancelled(by: "the coordinator"), isPermanent: false)
    }
  }

  // MARK: Waiting for another job

  private func wait() {
    if isOver || reason != nil { return }
    switch node.lend(release) {
    case .unknown: end(result)
    case .refused: end(.snoozed(.seconds(2)))
    case .lent:
      world.sometimes.note(.lent)
      isWaiting = true
      node.after(.milliseconds(world.number(50...4_000)), "has waited in \(release)") { [self] in
        if !isOver, isWaiting { node.take(.wantsTellerBack(release)) }
      }
    }
  }

  func hasTellerAgain() {
    guard isWaiting, !isOver else { return }
    isWaiting = false
    node.after(script.length / 2, "ends \(release)") { [self] in if reason == nil { end(result) } }
  }

  func endWait() {
    guard isWaiting, !isOver else { return }
    isWaiting = false
    node.take(.wantsTellerBack(release))
    soon(.snoozed(.seconds(2)))
  }

  // MARK: Its end

  private func end(_ result: AttemptResult) {
    guard !isOver else { return }
    isOver = true
    node.handlers[release] = nil
    world.runs[index].ended = world.moment
    world.runs[index].end = traced(result)
    world.trace.say(world.now, node.name, "has ended \(release): \(result.word)")
    let hint = hint(for: result)
    let finished = FinishedAttempt(
      release: release, token: start.assignment.token, ledger: start.assignment.ledger,
      startedAt: .simulated(startedAt), ran: world.now - startedAt, result: result, hint: hint)
    node.after(world.span(1...200), "takes in the end of \(release)") { [node] in node.take(.finished([finished])) }
  }

  private func traced(_ result: AttemptResult) -> Run.End? {
    switch result {
    case .succeeded: .succeeded
    case .failed: reason == .jobEnded || reason == .closed ? nil : .failed
    case .snoozed: .snoozed
    case .discarded: .succeeded
    }
  }

  private func hint(for result: AttemptResult) -> RetryHint? {
    guard case .failed = result else {
      return policy.hint(afterAttempt: start.assignment.attempt, random: world.fraction)
    }
    var hint = policy.hint(afterAttempt: start.assignment.attempt, random: world.fraction)
    if script.act == .later {
      hint = hint ?? RetryHint()
      hint?.atLeast = Script.laterThan
    }
    if script.act == .pause {
      hint = hint ?? RetryHint()
      hint?.pausesDepartment = true
      world.resumeSoon(start.assignment.department)
    }
    return hint
  }
}

extension AttemptResult {
  /// For a trace.
  fileprivate var word: String {
    switch self {
    case .succeeded: "succeeded"
    case .failed(let failure, let isPermanent): "failed, \(failure.code)\(isPermanent ? " for good" : "")"
    case .snoozed: "snoozed"
    case .discarded: "discarded"
    }
  }
}
