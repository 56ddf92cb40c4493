package import AMQP
package import JobModel
package import Logging

/// What happens to a worker.
package enum WorkerEvent: Sendable {
  /// A new pair of connections is open; nothing is consumed on it yet.
  case connected
  /// The pair is lost, with everything that was un-acked on it.
  case disconnected
  /// An assignment or a control message came, in the order of the wire.
  case delivered(Delivery)
  /// Another ``WorkerLoop/presenceInterval`` has passed. What has finished by then was handed in before.
  case ticked
  /// The broker has granted the consumer of a `consume` step.
  case consuming(String, Department)
  /// The broker has refused the consumer of a `consume` step: the connection ends.
  case refused(JobQueue, AMQPError)
  /// A look at a refused queue has failed.
  case stillRefused(JobQueue)
  /// A look at a refused queue has not failed.
  case accepted(JobQueue)
  /// The broker has ended the consumer of a `cancel` step: its deliveries have come before.
  case cancelled(String)
  /// No step about the consumers is left, and what was to be acked behind them is acked. `wasWelcomed`: before the steps.
  case staffed(wasWelcomed: Bool)
  /// Handlers have ended.
  case finished([FinishedAttempt])
  /// The broker's results of a batch: of its reports, then of its notices and claims.
  case published(ReportOutbox.Batch, [PublishResult])
  /// The connection was lost under a batch.
  case unpublished(ReportOutbox.Batch)
  /// A batch went to the coordinator's early queue.
  case sentEarly(ReportOutbox.Batch)
  /// The wait for the answer to that is over: all of it is recorded, or the time has passed; nil: it could not be sent.
  case endedEarly(isRecorded: Bool?)
  /// A run is longer than its time limit, which was this.
  case timeLimitPassed(ReleaseID, Duration)
  /// The handler of a cancelled run has not ended in time.
  case stuck(ReleaseID, RunControl.Reason)
  /// The handler of a run has ended its last wait for another job.
  case wantsTellerBack(ReleaseID)
  /// A cancelled handler goes on without waiting for a teller: it is to end.
  case goesOnWithoutTeller(ReleaseID)
  /// The worker has sent itself a pulse.
  case sentPulse
  /// The broker lacks an exchange or a queue; with its own text, which names it.
  case topologyIsMissing(String)
  /// The worker is to drain.
  case drain
}

/// What a worker decides to do.
package enum WorkerAction: Sendable {
  /// Run the job's handler.
  case start(WorkerStart)
  /// Cancel the run's handler. It then has `timeouts.grace` to end.
  case cancel(ReleaseID, RunControl.Reason)
  case ack(UInt64)
  /// Nack: the message goes back into its queue, for another worker.
  case requeue(UInt64)
  /// Nack: the message is dropped, since no worker can read it.
  case reject(UInt64)
  case due(WorkerDue)
  /// Hand in finished runs as soon as there are so many; with fewer the next tick is soon enough.
  case takeRuns(worthwhile: Int)
  /// Every report of the batch that went early is recorded.
  case recordedEarly
  /// A handler that has ended its wait has its teller again.
  case returnTeller(ReleaseID)
  /// End every wait of handlers for other jobs: the worker drains.
  case endWaits
  /// Send the progress of all runs again: a coordinator that has just started knows none.
  case sendProgressAgain
  /// The worker's own message came back to it.
  case heard
  /// Tell the services whether the worker takes jobs.
  case show(isOpen: Bool)
  /// The departments have these numbers of tellers from now on.
  case staff([Department: Int])
  /// The worker begins to drain.
  case beginDrain
  /// Every queue is consumed, or known to be refused.
  case ready
  case log(Logger.Level, String, Logger.Metadata = [:])
  /// The worker ends, as ``WorkerState/end`` says, once everything before this is done.
  case end
}

/// What a worker has to look at again.
package enum WorkerDue: Hashable, Sendable {
  /// A presence is to be sent.
  case presence
  /// The outbox may have a batch.
  case reports
  /// The consumers may have to change, or there is something to ack behind that.
  case staffing
}

/// A run that is to begin.
package struct WorkerStart: Sendable {
  package var assignment: Assignment
  /// Why the assignment cannot be run; nil: it was read.
  package var problem: String?
  /// The department of its teller.
  package var department: Department
  /// How long the coordinator's file lets jobs of this kind wait between attempts; nil: it does not say.
  package var retry: RetrySettings?
}

/// Why a worker ends by itself.
package enum WorkerEnd: Sendable {
  /// The worker was told to drain, and nothing is left.
  case drained
  /// The worker cannot go on.
  case failed(WorkerError)
  /// A second signal came: nothing is waited for.
  case secondSignal
}
