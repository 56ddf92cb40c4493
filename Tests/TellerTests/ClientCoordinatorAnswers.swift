import AMQP
import BrokerSupport
import JobModel
import JobTransport

@testable import Teller

extension CoordinatorPart {
  /// Answers every question: the finished jobs have succeeded with that result, the pending ones are known, all others
  /// are not.
  func answerQuestions(finished: [JobID: String] = [:], pending: [JobID] = []) async throws -> Task<Void, any Error> {
    let requests = try await connection.consume(Topology.Queue.requests, options: ConsumeOptions(prefetch: 100))
    let documents = finished.mapValues { $0 }.map { id, result in CoordinatorPart.document(of: id, result: result) }
    return Task {
      for await delivery in requests {
        try await connection.ack(delivery.deliveryTag)
        guard case .asked(let request, let address) = RequestCodec.decode(delivery) else { continue }
        try await connection.publish(answer(to: request, address, documents, pending))
      }
    }
  }

  private func answer(
    to request: Request, _ address: AnswerAddress, _ finished: [JobRecord], _ pending: [JobID]
  ) -> TransientPublishing {
    switch request {
    case .status: return AnswerCodec.encode(status, to: address)
    case .board(let query): return AnswerCodec.encode(CoordinatorPart.board(query, status), to: address)
    case .jobs: return AnswerCodec.encode(JobPage(jobs: finished, next: nil), to: address)
    case .failures(let query): return AnswerCodec.encode(CoordinatorPart.failures(query), to: address)
    case .count(let query):
      let count = JobCount(query.action, department: query.department, kind: query.kind, failed: 17)
      return AnswerCodec.encode(count, to: address)
    case .show(let id):
      guard let job = finished.first(where: { $0.id == id }) else {
        return AnswerCodec.encode(JobFailure.jobNotFound(id), to: address)
      }
      return AnswerCodec.encode(job, to: address)
    case .wait(let query):
      let known = finished.filter { query.ids.contains($0.id) }
      let rest = query.ids.filter { id in !known.contains { $0.id == id } }
      let document = WaitDocument(
        finished: known, pending: rest.filter(pending.contains), unknown: rest.filter { !pending.contains($0) })
      return AnswerCodec.encode(document, to: address)
    case .explain(let id):
      guard pending.contains(id) else { return AnswerCodec.encode(JobFailure.jobNotFound(id), to: address) }
      return AnswerCodec.encode(CoordinatorPart.explanation(of: id), to: address)
    case .report(let query):
      let line = JobReport.Line(
        department: query.department ?? "deposit", succeeded: 3, failed: 2, cancelled: 1, retries: 4,
        waited: JobReport.Times(p50: 1, p90: 2, p99: 3, max: 4, sum: 9), ran: nil)
      let report = JobReport(
        from: query.since, until: query.since, lines: [line], isTruncated: false, epoch: 1, through: 7)
      return AnswerCodec.encode(report, to: address)
    case .operation(let id):
      guard id == CoordinatorPart.operation.id else {
        return AnswerCodec.encode(JobFailure.operationNotFound(id), to: address)
      }
      return AnswerCodec.encode(CoordinatorPart.operation, to: address)
    case .workers(let query): return AnswerCodec.encode(CoordinatorPart.workers(query), to: address)
    case .plan(let name): return AnswerCodec.encode(CoordinatorPart.plan(name), to: address)
    case .events: return AnswerCodec.encode(EventPage(events: [CoordinatorPart.event], next: nil), to: address)
    case .event(let id):
      guard id == CoordinatorPart.event.id else {
        return AnswerCodec.encode(JobFailure(code: "not_found", message: "no event \(id)"), to: address)
      }
      return AnswerCodec.encode(CoordinatorPart.event, to: address)
    case .schedules(let query): return AnswerCodec.encode(CoordinatorPart.schedules(query), to: address)
    case .keys(let query): return AnswerCodec.encode(CoordinatorPart.keys(query), to: address)
    case .key(let question): return AnswerCodec.encode(CoordinatorPart.key(question), to: address)
    case .subscriber(let name):
      return AnswerCodec.encode(JobFailure.subscriberNotFound(name), to: address)
    case .subscribers(let query): return AnswerCodec.encode(CoordinatorPart.subscribers(query), to: address)
    case .keepPlace(let order):
      let place = order.place?.position ?? NotificationPosition(epoch: 1, seq: 0)
      return AnswerCodec.encode(CoordinatorPart.subscriber(order.name, at: place), to: address)
    case .actions(let query): return AnswerCodec.encode(CoordinatorPart.actions(query), to: address)
    case .plans(let query): return AnswerCodec.encode(CoordinatorPart.plans(query), to: address)
    }
  }

  private var status: TellerStatus {
    let deposit = DepartmentStatus(
      department: "deposit", isOrdered: false, isPaused: true, window: 2_000, cap: 3, tellers: 2, held: 0, delayed: 0,
      dependent: 0, void: 0, queued: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0)
    return TellerStatus(
      ledger: ledger, epoch: 1, coordinator: CoordinatorStatus(startedAt: .now(), version: "test"),
      broker: BrokerStatus(state: .connected), departments: [deposit], workers: [])
  }

  /// One job waits in each department that is asked for.
  private static func board(_ query: BoardQuery, _ status: TellerStatus) -> Board {
    let row = WaitingRow(
      id: failed, number: Int64(query.limit), kind: "deposit", priority: .normal, rank: nil, key: nil, step: nil,
      since: .now(), isReleased: true)
    return Board(
      at: .now(), ledger: status.ledger, epoch: 1, through: 7, counted: 7, coordinator: status.coordinator,
      broker: status.broker, workers: 0, operations: [],
      departments: status.departments.map {
        DepartmentBoard(
          status: $0, forecast: DepartmentForecast(course: .silent, reason: .closed),
          waiting: query.departments.contains($0.department) ? [row] : [])
      })
  }

  /// One action, with the number of the limit.
  private static func actions(_ query: ActionQuery) -> ActionPage {
    let action = OperatorAction(number: Int64(query.limit), action: "pause", at: .now(), job: query.job)
    return ActionPage(actions: [action], next: nil)
  }

  /// Two parts: the second one is what was accepted before number 40.
  static func failures(_ query: FailureQuery) -> FailureCounts {
    let moment = Timestamp(milliseconds: query.before == nil ? 1_893_456_000_000 : 1_893_455_000_000)
    let line = FailureCounts.Line(
      department: "deposit", kind: query.kind ?? "deposit", error: "timeout", jobs: query.before == nil ? 3 : 4,
      newestAt: moment, example: failed)
    return FailureCounts(lines: [line], next: query.before == nil ? 40 : nil)
  }

  static let failed = JobID()

  /// Held until its time, which is the year 2030.
  static func explanation(of id: JobID) -> JobExplanation {
    let reason = JobExplanation.Reason(
      hold: .schedule, text: "it is scheduled", until: Timestamp(milliseconds: 1_893_456_000_000))
    return JobExplanation(job: id, state: .held, kind: "deposit", department: "deposit", reasons: [reason])
  }

  /// The one operation that there is.
  static let operation = JobOperation(
    id: 7, action: .cancel, department: nil, kind: "deposit", changed: 5, looked: 6, total: 10,
    startedAt: Timestamp(milliseconds: 1_893_456_000_000), finishedAt: nil)

  static func document(of id: JobID, result: String) -> JobRecord {
    let now = Timestamp.now()
    let progress = JobProgress(state: .succeeded, attempt: 1, maxAttempts: 3, release: 1, token: 1)
    let outcome = Outcome.succeeded(result: Array(result.utf8), contentType: "application/json")
    return JobRecord(
      Job(
        number: 1, id: id, kind: "deposit", department: "deposit", priority: .normal, progress: progress,
        timeout: .seconds(30), key: "A-17", acceptedAt: now, startedAt: now, finishedAt: now, ran: .milliseconds(700),
        outcome: outcome))
  }
}
