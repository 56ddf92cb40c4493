/// The rules of releases and claims, each of which a world can be explored without: what an exploration finds then is
/// what the rule is for.
enum Rule: String, CaseIterable, Sendable {
  /// A redelivered or flagged delivery is claimed before it runs.
  case claim
  /// A release that is published again carries the flag.
  case claimFlag
  /// Presence counts only if it echoes a probe that was sent after the claim.
  case probe
  /// A message to oneself through the reports queue comes before `run`.
  case fence
  /// A grant makes the release's other claims start over.
  case oneGrant
  /// Claims and presence go by the release, which a grant does not change.
  case byRelease
  /// Presence counts only with the job's current token: an older run was given up.
  case presentToken
  /// After the report of a run that was given up, its release is claimed: the message may have been acked with it.
  case staleClaimed
  /// A job that is nowhere is claimed by the coordinator itself.
  case lost
  /// The worker that asks must echo the probe too: its question may have crossed the answer.
  case askerEchoes
  /// A restarted coordinator's numbers are above all earlier ones.
  case numbers
  /// A restarted coordinator knows whom it has to wait for.
  case welcomedList
  /// The coordinator claims a release for itself only when it is not in its queue any more.
  case gone
  /// That a later release was delivered says something only of what was in the queue before it.
  case order
  /// A void release keeps its place until it is forgotten.
  case voidPlace
  /// The workers are told what is void before they are probed.
  case voidFirst
  /// The ledger keeps what is void and whose job has ended or has another release.
  case voidRecorded
  /// A welcome carries what is void.
  case voidWelcome
  /// A void release that may have been started is claimed, not dropped.
  case voidClaimed
  /// A claim of a void release goes on to its conclusion.
  case voidConcluded
  /// The coordinator's own claim takes from the list only what is not in its queue any more.
  case voidGone
  /// A release that becomes void while the coordinator claims it as lost is known to be gone.
  case voidClaimOpen
  /// The coordinator claims a void release for itself only when its publishing is over.
  case voidPublished
  /// Only the report of who has the job's current token gives the place of a void release back.
  case voidToken
  /// That a worker dropped a release says nothing if it was granted to another one since.
  case droppedUngranted
  /// A dropped release that is its job's current one is claimed, not released anew at once.
  case droppedClaim
  /// A release that a worker without a handler has given back is claimed, not released anew at once.
  case returnedClaim
  /// Before that is done, it counts as not in its queue: a coordinator that begins anew publishes it again.
  case returnedUnconfirmed
  /// A job is not changed whose release was granted to a worker: else what had begun in time is failed as too late.
  case unstarted
  /// A worker acks what it runs only when it is recorded that it has it.
  case adoptRecorded
  /// When a worker's lease passes, what it has adopted is claimed.
  case adoptClaimed
  /// So does a coordinator that starts, if that worker is not one that it waits for.
  case adoptRestart
  /// A delivery of another epoch of the ledger than the worker's welcome is claimed.
  case epochClaim
  /// An epoch's numbers are above all that an earlier one may have used.
  case epochNumbers
  /// A coordinator that begins an epoch hears every worker before it answers a claim.
  case epochHears
  /// The open claims of a coordinator whose connection was lost start over: probes and fences may be lost with it.
  case startOver
  /// A report of which no confirm was heard is sent again on the next connection.
  case resent
  /// A worker whose consumer was ended by the broker begins anew.
  case consumesAnew
  /// No coordinator starts while another one may still be heard of: frozen is not dead.
  case lock
  /// What is told was recorded before.
  case recordedFirst
  /// That a message was redelivered says nothing of a start.
  case redeliveredIsNoStart
  /// A grant of which its worker knows nothing was no start.
  case unheardGrant
  /// That holds for a worker that was not given up in between: the presence that told of the run may have expired.
  case unheardSince
  /// A presence lists what a worker has taken ahead.
  case waitingListed
  /// It lists that no more when the message goes back to the queue.
  case waitingHandedBack
}
