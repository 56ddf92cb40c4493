package import Decisions
package import JobModel

/// One thing that the coordinator has decided and recorded, and that is now to be told.
package enum Outgoing: Sendable {
  case assignment(Assignment)
  case reply(to: String, Reply)
  /// A reply that another one will follow soon, perhaps at once: they go together.
  case acceptance(to: String, Reply)
  /// A request that waits for nothing any more, to be answered with what the ledger says of its jobs.
  case polled(LongPolls.Poll)
  /// A request for the outcome of a key, to be answered with how the key stands then.
  case keyPolled(KeyPolls.Poll)
  case welcome(WorkerID, Welcome)
  /// `since`: when the session began, by the ledger's clock.
  case probe(WorkerID, number: Int, since: Timestamp)
  case verdict(WorkerID, ClaimAnswer)
  case staffing(WorkerID, Staffing)
  case adopted(WorkerID, ReleaseID)
  case recorded(WorkerID, ReleaseID)
  case refused(WorkerID, RefusedMessage)
  /// To one that runs it by a token that does not count any more.
  case stop(WorkerID, ReleaseID)
  /// To all workers of the department.
  case void(Department, VoidChange)
  /// The late answer to a request to move a job.
  case reranked(JobPlace, AnswerAddress)
  case failure(JobFailure, AnswerAddress)
  case fence(number: Int)
  /// Make the queue of a kind, before what follows.
  case makeQueue(JobQueue)
  /// Remove it, after what came before.
  case removeQueue(JobQueue)
  case live(Notification)
  /// Changes of jobs, for whoever follows them.
  case news(LiveEvent, [Notification])
  /// How far a run has come, for whoever follows it.
  case progress(Notification)

  /// About how much memory it holds, in bytes.
  package var size: Int {
    switch self {
    case .assignment(let assignment): Outgoing.overhead + assignment.content.payload.count
    case .reply(_, let reply), .acceptance(_, let reply): Outgoing.overhead + reply.resultSize
    case .polled(let poll): Outgoing.overhead + poll.ids.count * Outgoing.idSize
    case .welcome(_, let welcome): Outgoing.overhead + welcome.void.count * Outgoing.idSize
    case .news(_, let notifications): notifications.count * Outgoing.overhead
    case .void(_, let change): Outgoing.overhead + (change.void.count + change.forgotten.count) * Outgoing.idSize
    case .keyPolled, .probe, .verdict, .staffing, .adopted, .recorded, .refused, .stop, .reranked, .failure, .fence,
      .makeQueue,
      .removeQueue, .live, .progress:
      Outgoing.overhead
    }
  }

  private static let overhead = 512
  private static let idSize = 32
}

extension Reply {
  fileprivate var resultSize: Int {
    guard case .outcome(.succeeded(let result, _)) = content else { return 0 }
    return result.count
  }
}
