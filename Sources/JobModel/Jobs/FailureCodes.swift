extension JobFailure {
  /// The codes that Teller itself gives, as ``JobFailure/code``. Handlers may have codes of their own. A later version
  /// may have further codes.
  ///
  ///     if failure.code == JobFailure.Code.timeout { … }
  public enum Code {
    // Of jobs and their attempts.

    /// The attempt ran for longer than its time limit.
    public static let timeout = "timeout"
    /// The handler threw an error without a code.
    public static let handlerError = "handler_error"
    /// The payload is not what the handler expects.
    public static let badPayload = "bad_payload"
    /// The handler's result cannot be written as JSON.
    public static let badResult = "bad_result"
    /// The handler's result is larger than a result may be.
    public static let resultTooLarge = "result_too_large"
    /// A worker could not read its assignment; of a parked report: the coordinator could not read it.
    public static let unreadable = "unreadable"
    /// The worker's report of the attempt cannot be used.
    public static let badReport = "bad_report"
    /// The job's handler has put it off as often as a job may be put off.
    public static let snoozeLimit = "snooze_limit"
    /// The job went out of its queue again and again, and no worker said anything of it that can be used.
    public static let unreported = "unreported"
    /// The worker could start no thread for the attempt.
    public static let noThread = "no_thread"
    /// Of an attempt: its worker died or was lost.
    public static let interrupted = "interrupted"
    /// Of an attempt: its worker was killed while it drained. No attempt is used up.
    public static let drained = "drained"
    /// Workers died while the job ran, in the end with no other job there that can have been the cause.
    public static let poison = "poison"
    /// A job that runs at most once was lost with its worker.
    public static let lost = "lost"
    /// The handler was about to wait for a job that could not run before the wait has ended.
    public static let deadlock = "deadlock"
    /// Somebody cancelled the job.
    public static let cancelled = "cancelled"
    /// The handler discarded the job: nothing was to be done any more.
    public static let discarded = "discarded"
    /// The broker does not take the job's message, or the report of its attempt: it is larger than the broker allows, for
    /// example. The message of the failure has the broker's words.
    public static let unpublishable = "unpublishable"
    /// No attempt had begun in time.
    public static let tooLate = "too_late"
    /// A job that this one waited for failed, or was cancelled.
    public static let dependency = "dependency"
    /// A job that this one waited for was never submitted.
    public static let unknownDependency = "unknown_dependency"
    /// A step before this one failed, and the plan ended.
    public static let planShut = "plan_shut"
    /// Of a plan: a step failed with the code of its re-entry, and the plan had gone back as often as it may.
    public static let reentryLimit = "reentry_limit"
    /// Of a parked report: it is for another ledger than the coordinator's.
    public static let otherLedger = "other_ledger"
  }
}

// MARK: - Submissions that are rejected

extension JobFailure.Code {
  /// The job is for a department that the coordinator's file does not have. Questions and commands have it, too.
  public static let unknownDepartment = "unknown_department"
  /// The user of the broker may not do that. Questions and commands have it, too.
  public static let notAllowed = "not_allowed"
  /// Another job, or a plan, has the id that a step of the plan would have.
  public static let idTaken = "id_taken"
  /// A job, a plan or an event of the message's id was submitted before, with other content.
  public static let idConflict = "id_conflict"
  /// The message has a header that this version does not know, or that has no place there.
  public static let notSupported = "not_supported"
  /// The message's body is larger than the coordinator reads.
  public static let bodyTooLarge = "body_too_large"
  /// The message has no id.
  public static let missingID = "missing_id"
  /// The message's id is not a UUID.
  public static let badID = "bad_id"
  /// The message does not say which kind the job is of.
  public static let missingKind = "missing_kind"
  /// What should be the job's kind has not the form of one.
  public static let badKind = "bad_kind"
  /// What should be the job's department has not the form of one.
  public static let badDepartment = "bad_department"
  /// The priority is above 9.
  public static let badPriority = "bad_priority"
  /// The rank is no number, or out of its limits.
  public static let badRank = "bad_rank"
  /// The number of attempts is no number, or out of its limits.
  public static let badAttempts = "bad_attempts"
  /// When the job is to run, or to have begun, cannot be read, is too far ahead, or is said twice.
  public static let badTime = "bad_time"
  /// The time limit of an attempt cannot be read, or is out of its limits.
  public static let badTimeout = "bad_timeout"
  /// The jobs to wait for cannot be read, or the job cannot wait for them.
  public static let badAfter = "bad_after"
  /// The key or its window cannot be read, or there is a window without a key.
  public static let badKey = "bad_key"
  /// What the submitter waits for is neither the acceptance nor the outcome.
  public static let badWait = "bad_wait"
  /// Replies may not go to the queue that the message names.
  public static let badReplyTo = "bad_reply_to"
  /// Other headers or properties cannot be read.
  public static let badHeaders = "bad_headers"
  /// A message of several submissions cannot be read from there on.
  public static let badPack = "bad_pack"
  /// The plan cannot be read.
  public static let badPlan = "bad_plan"
  /// The coordinator has no plan of that name.
  public static let unknownPlan = "unknown_plan"
  /// The coordinator's configuration has a plan of that name: that one is started, and no other is submitted.
  public static let planConfigured = "plan_configured"
  /// As many submitted plans with a name are remembered as may be: no further name is taken.
  public static let tooManyPlans = "too_many_plans"
  /// The event's message cannot be read.
  public static let badEvent = "bad_event"
  /// No plan receives events of that name; or no event of that id is known.
  public static let unknownEvent = "unknown_event"
  /// Somebody has dismissed the event: nothing is done.
  public static let dismissed = "dismissed"
  /// As many events of the plan wait as may, or as many bytes of their payloads: it takes no further one.
  public static let tooManyEvents = "too_many_events"
  /// The plan's department is not an ordered one.
  public static let notOrdered = "not_ordered"
  /// Of a rule: as many rules as may have led to this one after another.
  public static let ruleChain = "rule_chain"
  /// Of a rule: what a reference of its template names is not there, or cannot be read.
  public static let ruleReference = "rule_reference"
}

// MARK: - Questions and commands

extension JobFailure.Code {
  /// The coordinator does not have what was asked for.
  public static let notFound = "not_found"
  /// Too many requests are open: ask again later.
  public static let busy = "busy"
  /// The request is not understood.
  public static let badRequest = "bad_request"
  /// The request's type is missing, or none of the queue it was sent to.
  public static let unknownRequest = "unknown_request"
  /// The ledger cannot be read or written now.
  public static let internalError = "internal"
  /// A plan has no payload; its steps have.
  public static let noPayload = "no_payload"
  /// No worker, or not the one that is named, serves the department. Of a drain: there is no worker of that id or name.
  public static let noWorker = "no_worker"
  /// Several workers have the name: name one by its id.
  public static let ambiguousWorker = "ambiguous_worker"
  /// A worker would have more tellers than it may have.
  public static let tooManyTellers = "too_many_tellers"
  /// As many subscribers keep their places as may: no further name is taken.
  public static let tooManySubscribers = "too_many_subscribers"
  /// A rank for a department that is not ordered, or a priority for one that is.
  public static let wrongPlace = "wrong_place"
  /// The job has no place that can be changed now: it runs, has ended, or is being moved.
  public static let notWaiting = "not_waiting"
}
