public import JobModel

/// Why a call of ``TellerClient`` failed, and who must act. A failed job has a `JobFailure`. No case shows a password.
public enum TellerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The broker cannot be reached, or was not reached in time. Start it, correct its address, or try again.
  case brokerUnavailable(reason: String)
  /// The broker is reached, and takes no messages: it is short of memory or disk. Free some of it, then try again.
  case brokerBlocked(reason: String)
  /// The broker refuses, and waiting does not help. Correct the user, the password, or what the reason names.
  case brokerRefused(reason: String)
  /// No encrypted connection to the broker is possible, and waiting does not help. Correct what the reason names.
  case encryptionFailed(reason: String)
  /// This broker lacks the exchanges that every coordinator declares. Start a coordinator, or correct the address.
  case noCoordinatorEver
  /// No coordinator has answered for that long. Start one. Submitted jobs are safe, and the same wait can begin again.
  case noCoordinator(silentFor: Duration)
  /// The submission queue has been full for that long. Submit more slowly, or find out why the coordinator takes nothing.
  case submissionsFull(waited: Duration)
  /// The event did not happen within the limit that the caller gave. It still may: the same wait can begin again.
  case timedOut(waitingFor: String, limit: Duration)
  /// Only the first jobs of a batch are known to have been submitted. Submit the others again, with the same ids.
  indirect case incomplete(submitted: Int, of: Int, reason: TellerError)
  /// The caller gave a value that cannot be sent. Correct it.
  case invalid(reason: String)
  /// The broker does not take this message, in its own words: mostly it is larger than the broker allows. Nothing else is
  /// wrong, and the same message is refused again. Make it smaller, or raise that limit of the broker.
  case messageRefused(reason: String)
  /// The payload is larger than any coordinator reads. Store it elsewhere, and submit its address.
  case payloadTooLarge(bytes: Int, limit: Int)
  /// The result of that job cannot be read as the caller's type. Compare the handler's output with that type.
  case unexpectedResult(job: JobID, reason: String)
  /// The coordinator does not know the job: it was never submitted here, was rejected without a reply, or ended long
  /// ago.
  case unknownJob(JobID)
  /// The coordinator refuses a question or a command. The failure says why.
  case refused(JobFailure)
  /// This version does not understand the coordinator's answer. Run the same version everywhere.
  case notUnderstood(reason: String)
  /// Recorded events are missing from the notification stream: they are too old to be kept, or were not sent again within
  /// ``ClientTimeouts/missingEvents``. Begin again from ``EventStart/start``, or ask for the state of the jobs.
  case eventsMissing(after: EventPosition, before: EventPosition)
  /// This client was made, and nobody runs it. Add it to the `ServiceGroup`, or make it by `TellerClient.connect`.
  case notRunning
  /// This client was closed.
  case closed

  /// One line: what happened, and what to do about it.
  public var description: String {
    switch self {
    case .brokerUnavailable(let reason):
      "the broker is not reached: \(reason); see that it runs, and that its URL is right"
    case .brokerBlocked(let reason):
      "the broker is blocked: it is short of memory or disk (\(reason)); free some of it, then try again"
    case .brokerRefused(let reason):
      "the broker refuses: \(reason); correct its URL, the user, or what the user may do"
    case .encryptionFailed(let reason): reason
    case .noCoordinatorEver:
      "no coordinator has ever run on this broker; start one with `teller coordinator`, or correct the broker's URL"
    case .noCoordinator(let time):
      "no coordinator has answered for \(time.inWords); start one with `teller coordinator`"
    case .submissionsFull(let time):
      "the submission queue has been full for \(time.inWords); submit more slowly, or see why the coordinator takes nothing"
    case .timedOut(let what, let limit):
      "waited \(limit.inWords) for \(what), and it did not happen; it still may: wait again"
    case .incomplete(0, let all, let reason):
      "none of the \(all) jobs is known to be submitted: \(reason); submit them again, with the same ids"
    case .incomplete(let submitted, let all, let reason):
      "only the first \(submitted) of \(all) jobs are known to be submitted: \(reason); "
        + "submit the others again, with the same ids"
    case .invalid(let reason): reason
    case .messageRefused(let reason):
      "the broker does not take this message: \(reason); make it smaller, or raise that limit of the broker"
    case .payloadTooLarge(let bytes, let limit):
      "the payload has \(bytes) bytes, and at most \(limit) are read; store it elsewhere and submit where it is"
    case .unexpectedResult(let job, let reason):
      "the result of job \(job) is not what is expected: \(reason); compare its handler's output with what is asked for"
    case .unknownJob(let job):
      "the coordinator knows no job \(job): correct the id, or submit it again; jobs that ended long ago are removed"
    case .refused(let failure): "the coordinator refuses: \(failure.message)"
    case .notUnderstood(let reason):
      "the coordinator's answer is not understood: \(reason); do both run the same version?"
    case .eventsMissing(let after, let before):
      "the notification stream holds nothing between \(after) and \(before); begin again from the start"
    case .notRunning: "this client does not run: add it to the ServiceGroup, or make one that is connected"
    case .closed: "this client was closed: connect a new one"
    }
  }
}
