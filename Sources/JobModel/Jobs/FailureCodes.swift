extension JobFailure {
  /// The codes that Teller itself gives, as ``JobFailure/code``. Handlers may have codes of their own. A later version may
  /// have further codes.
  ///
  ///     if failure.code == JobFailure.Code.timeout { … }
  public enum Code {
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
    /// A worker could not read its assignment.
    public static let unreadable = "unreadable"
    /// Workers died while the job ran, in the end with no other job there that can have been the cause.
    public static let poison = "poison"
    /// A job that runs at most once was lost with its worker.
    public static let lost = "lost"
    /// Somebody cancelled the job.
    public static let cancelled = "cancelled"
    /// The handler discarded the job: nothing was to be done any more.
    public static let discarded = "discarded"
    /// No attempt had begun in time.
    public static let tooLate = "too_late"
    /// A job that this one waited for failed, or was cancelled.
    public static let dependency = "dependency"
    /// A job that this one waited for was never submitted.
    public static let unknownDependency = "unknown_dependency"
    /// A step before this one failed, and the plan ended.
    public static let planShut = "plan_shut"

    // Of submissions that are rejected.

    /// The job is for a department that the coordinator's file does not have.
    public static let unknownDepartment = "unknown_department"
    /// The user of the broker may not do that.
    public static let notAllowed = "not_allowed"
    /// Another job, or a plan, has the same id.
    public static let idTaken = "id_taken"
    /// The message has a header that this version does not know, or that has no place there.
    public static let notSupported = "not_supported"
    /// The message's body is larger than the coordinator reads.
    public static let bodyTooLarge = "body_too_large"

    // Of questions and commands.

    /// The coordinator does not have what was asked for.
    public static let notFound = "not_found"
    /// Too many requests are open: ask again later.
    public static let busy = "busy"
    /// The request is not understood.
    public static let badRequest = "bad_request"
  }
}
