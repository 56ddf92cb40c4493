import JobModel
import JobTransport
import TestSupport

/// Random questions and commands: one of each type at a time.
extension SeededRandom {
  mutating func requests() -> [Request] {
    var jobs = JobQuery(
      department: maybe { $0.department() }, state: maybe { _ in .failed }, kind: kind(),
      error: maybe { _ in "timeout" },
      key: maybe { $0.key().text }, plan: maybe { $0.job() }, limit: Int.random(in: 1...1000, using: &self),
      before: Int64(count()), onlyUnsettled: chance(), idPart: maybe { _ in "01a223e3…032c" })
    jobs.accepted.since = maybe { $0.time() }
    jobs.accepted.until = jobs.accepted.since.map { $0 + .seconds(1) }
    var failures = FailureQuery(
      department: maybe { $0.department() }, kind: maybe { $0.kind() }, error: maybe { _ in "timeout" },
      before: Int64(count()))
    failures.accepted = jobs.accepted
    let board = BoardQuery(departments: [department()], limit: Int.random(in: 1...100, using: &self))
    let counted: JobOperation.Action = chance() ? .cancel : .replay
    let command =
      chance()
      ? CountQuery(.reset)
      : CountQuery(
        counted, department: maybe { $0.department() }, kind: maybe { $0.kind() },
        narrowing: narrowing(for: counted))
    let wait = WaitQuery(
      ids: list(1...3) { $0.job() }, limit: .milliseconds(Int.random(in: 0...30_000, using: &self)))
    let report =
      chance()
      ? ReportQuery(since: time(), department: maybe { $0.department() })
      : ReportQuery(plan: job(), department: maybe { $0.department() })
    return [
      .status, .board(board), .jobs(jobs), .failures(failures), .count(command), .show(job()), .wait(wait),
      .explain(job()),
      .report(report), .operation(Int64(count())),
    ] + lists()
  }

  private mutating func lists() -> [Request] {
    let workers = WorkerQuery(
      department: maybe { $0.department() }, limit: Int.random(in: 1...100, using: &self),
      after: maybe { $0.worker() })
    let keys = KeyQuery(
      kind: maybe { $0.kind() }, limit: Int.random(in: 1...1_000, using: &self), after: maybe { $0.keyPosition() })
    let plans = PlanQuery(
      department: maybe { $0.department() }, includesEnded: chance(), limit: Int.random(in: 1...100, using: &self),
      before: maybe { Int64($0.count()) })
    let events = EventQuery(
      plan: maybe { $0.planName() }, state: maybe { $0.eventState() }, limit: Int.random(in: 1...1_000, using: &self),
      before: maybe { Int64($0.count()) })
    return [
      .actions(ActionQuery(job: maybe { $0.job() }, limit: 7, before: maybe { Int64($0.count()) })),
      .workers(workers), .schedules(ScheduleQuery(after: maybe { $0.name() })), .keys(keys), .plans(plans),
      .key(KeyQuestion(keyPosition(), limit: .milliseconds(Int.random(in: 0...30_000, using: &self)))),
      .plan(chance() ? planName().name : job().description), .events(events), .event(job()),
    ] + aboutSubscribers()
  }

  private mutating func aboutSubscribers() -> [Request] {
    let query = SubscriberQuery(limit: Int.random(in: 1...1_000, using: &self), after: maybe { $0.subscriber() })
    let place = NotificationPosition(epoch: count(), seq: Int64(count()))
    let order = PlaceOrder(subscriber(), at: place, offset: maybe { Int64($0.count()) })
    return [
      .subscriber(subscriber()), .subscribers(query), .keepPlace(chance() ? order : PlaceOrder(subscriber())),
    ]
  }

  mutating func subscriber() -> SubscriberName { SubscriberName(name()) ?? "audit" }

  mutating func keyPosition() -> JobKey { JobKey(kind: kind(), key: key().text) }

  mutating func selection(for action: JobOperation.Action) -> JobSelection {
    if chance() { return JobSelection(jobs: list(1...3) { $0.job() }) }
    return JobSelection(
      department: maybe { $0.department() }, kind: maybe { $0.kind() }, narrowing: narrowing(for: action))
  }

  mutating func narrowing(for action: JobOperation.Action) -> JobNarrowing {
    var narrowing = JobNarrowing(
      state: action == .cancel ? maybe { _ in .held } : nil, error: action == .cancel ? nil : maybe { _ in "timeout" },
      key: maybe { $0.key().text }, plan: maybe { $0.job() })
    narrowing.acceptedSince = maybe { $0.time() }
    narrowing.acceptedUntil = narrowing.acceptedSince.map { $0 + .seconds(1) }
    return narrowing
  }

  mutating func commands() -> [AdminRequest] {
    let resize = ResizeOrder(
      department: department(), tellers: Int.random(in: 0...10_000, using: &self), worker: maybe { $0.text() })
    let rerank =
      chance()
      ? RerankOrder(job: job(), priority: priority())
      : RerankOrder(job: job(), rank: Int.random(in: 1...1_000_000, using: &self))
    return [
      .cancel(selection(for: .cancel)), .replay(selection(for: .replay)), .drop(selection(for: .drop)), .reset,
      .acceptRestored(JobSelection()), .dropRestored(JobSelection(department: maybe { $0.department() }, kind: kind())),
      .pause(department()),
      .resume(department()), .resize(resize), .drainWorker(DrainOrder(worker: text())), .rerank(rerank),
      .freeKey(KeyOrder(kind: kind(), key: key().text)),
      .resetKeys(chance() ? KeyResetOrder(keyPosition()) : KeyResetOrder(allOf: kind())),
      .stopPlan(PlanStopOrder(plan: planName(), gates: chance() ? .keep : .open)), .payload(job()),
      .forgetSubscriber(subscriber()), .note(note()),
    ]
  }

  private mutating func note() -> ActionNote {
    ActionNote(
      chance() ? "count_cash" : "a1", job: maybe { $0.job() }, department: maybe { $0.department() },
      kind: maybe { $0.kind() }, name: maybe { $0.key().text }, detail: maybe { $0.key().text })
  }
}
