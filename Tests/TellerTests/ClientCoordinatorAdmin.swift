import AMQP
import BrokerSupport
import JobModel
import JobTransport

@testable import Teller

extension CoordinatorPart {
  /// Carries out every command of an operator, in word: a job whose id is among the ended ones is left as it is, every
  /// department but `deposit` is unknown, and so is every job that is to be re-ranked and has ended.
  ///
  /// - Returns: what is done; and each command as it was read, in its order.
  func obeyOperators(
    ended: [JobID] = []
  ) async throws -> (task: Task<Void, any Error>, commands: AsyncStream<AdminRequest>) {
    let commands = try await connection.consume(Topology.Queue.admin, options: ConsumeOptions(prefetch: 100))
    let (stream, continuation) = AsyncStream.makeStream(of: AdminRequest.self)
    let task = Task {
      for await delivery in commands {
        try await connection.ack(delivery.deliveryTag)
        guard case .asked(let request, let address) = AdminCodec.decode(delivery) else { continue }
        continuation.yield(request)
        try await connection.publish(answer(to: request, address, ended))
      }
    }
    return (task, stream)
  }

  private func answer(to request: AdminRequest, _ address: AnswerAddress, _ ended: [JobID]) -> TransientPublishing {
    switch request {
    case .cancel(let selection), .drop(let selection):
      guard let jobs = selection.jobs else { return AnswerCodec.encode(CoordinatorPart.operation, to: address) }
      return AnswerCodec.encode(CoordinatorPart.changes(jobs, ended), to: address)
    case .replay(let selection):
      guard let jobs = selection.jobs else { return AnswerCodec.encode(CoordinatorPart.operation, to: address) }
      var changes = CoordinatorPart.changes(jobs, ended)
      changes.newJobs = changes.changed.map(CoordinatorPart.replay)
      return AnswerCodec.encode(changes, to: address)
    case .stopPlan(let order):
      let stop = PlanStop(
        plan: order.plan, before: .open, cancelledSteps: 0, gates: order.gates, departments: ["deposit"],
        operations: [])
      return AnswerCodec.encode(stop, to: address)
    case .reset, .acceptRestored, .dropRestored:
      return AnswerCodec.encode(CoordinatorPart.operation, to: address)
    case .pause(let department), .resume(let department):
      guard department == "deposit" else {
        let failure = JobFailure(code: "unknown_department", message: "there is no department \(department)")
        return AnswerCodec.encode(failure, to: address)
      }
      let isPause = request == .pause(department)
      return AnswerCodec.encode(DepartmentPause(department: department, isPaused: isPause, isNew: true), to: address)
    case .resize(let order):
      let worker = DepartmentResize.Worker(id: WorkerID("w"), name: "desk-1", before: 2, tellers: order.tellers)
      return AnswerCodec.encode(DepartmentResize(department: order.department, workers: [worker]), to: address)
    case .rerank(let order):
      if ended.contains(order.job) { return AnswerCodec.encode(JobFailure.jobNotFound(order.job), to: address) }
      let document = JobPlace(
        job: order.job, state: .queued, priority: order.priority ?? .normal, rank: order.rank)
      return AnswerCodec.encode(document, to: address)
    case .freeKey(let order):
      return AnswerCodec.encode(FreedKey(kind: order.kind, key: order.key, wasTaken: true), to: address)
    case .resetKeys(let order):
      var operation = CoordinatorPart.operation
      (operation.action, operation.kind, operation.key) = (.resetKeys, order.kind, order.key)
      return AnswerCodec.encode(operation, to: address)
    case .drainWorker(let order):
      guard order.worker == "desk-1" else {
        let failure = JobFailure(code: "no_worker", message: "there is no worker \(order.worker)")
        return AnswerCodec.encode(failure, to: address)
      }
      let drain = WorkerDrain(
        id: WorkerID("w"), name: order.worker, isNew: true, isTold: true, isDraining: false, running: 3, lastSeenMs: 800
      )
      return AnswerCodec.encode(drain, to: address)
    case .forgetSubscriber(let name):
      return AnswerCodec.encode(ForgottenSubscriber(name: name, wasKept: true), to: address)
    case .note(let note):
      return AnswerCodec.encode(note.action(by: CommandAuthor(user: "operator"), at: .now()), to: address)
    case .payload(let id):
      if ended.contains(id) { return AnswerCodec.encode(JobFailure.jobNotFound(id), to: address) }
      return AnswerCodec.encode(CoordinatorPart.content, to: address)
    }
  }

  private static func changes(_ jobs: [JobID], _ ended: [JobID]) -> JobChanges {
    JobChanges(
      changed: jobs.filter { !ended.contains($0) },
      unchanged: jobs.filter(ended.contains).map { JobChanges.Unchanged(job: $0, reason: .ended) })
  }

  /// What every job carries: bytes that are no text.
  static let content = JobContent(
    payload: [0, 0xFF, 10], contentType: "a/b", trace: TraceContext(traceparent: "00-a-b-01", tracestate: "x=y"))

  /// What a job is submitted again as.
  static func replay(of job: JobID) -> JobID { JobID(plan: job, step: "replay") }
}
