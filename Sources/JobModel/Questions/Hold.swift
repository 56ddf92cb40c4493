extension JobExplanation {
  /// What holds a job: a short, stable word. A later version may have words that are none of these.
  public struct Hold: RawRepresentable, Hashable, Sendable, Codable {
    /// The word, as it is written on the wire.
    public let rawValue: String

    /// The hold of a word, whether it is known here or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    // A held job has one of these, or several.

    /// The time of the job has not come.
    public static let schedule = Hold(rawValue: "schedule")
    /// An attempt has failed, and the back-off goes on.
    public static let retry = Hold(rawValue: "retry")
    /// The handler has put the job off.
    public static let snooze = Hold(rawValue: "snooze")
    /// The time of the job came between the backup and the restore of the ledger: an operator decides.
    public static let restored = Hold(rawValue: "restored")
    /// The department is paused.
    public static let paused = Hold(rawValue: "paused")
    /// The department waits until a plan is open.
    public static let gate = Hold(rawValue: "gate")
    /// As many jobs of the department are released as may be.
    public static let window = Hold(rawValue: "window")
    /// As many jobs of the department are released as may run.
    public static let cap = Hold(rawValue: "cap")
    /// Another job of an ordered department goes first.
    public static let order = Hold(rawValue: "order")
    /// Jobs that this job depends on have not ended.
    public static let after = Hold(rawValue: "after")
    /// Workers have no handler for the kind.
    public static let handler = Hold(rawValue: "handler")
    /// Workers have died while they ran the job: such jobs run one at a time.
    public static let suspect = Hold(rawValue: "suspect")
    /// A command about many jobs cancels the job, or others of its department.
    public static let operation = Hold(rawValue: "operation")
    /// The coordinator's configuration does not name the department.
    public static let department = Hold(rawValue: "department")
    /// The ledger was put back to an earlier state a moment ago.
    public static let epoch = Hold(rawValue: "epoch")

    // A released job has one of these, and perhaps some of the others.

    /// The job is in its queue.
    public static let queue = Hold(rawValue: "queue")
    /// Nobody serves the department.
    public static let noTeller = Hold(rawValue: "no_teller")
    /// The workers are being asked which of them has the job.
    public static let claim = Hold(rawValue: "claim")
    /// The job runs.
    public static let running = Hold(rawValue: "running")
    /// The handler does not react to its cancellation; of a job that waits, also held: those of all its tellers do not.
    public static let stuck = Hold(rawValue: "stuck")

    /// The job has ended.
    public static let ended = Hold(rawValue: "ended")
    /// An event waits for the next run of its plan, or for somebody to accept it.
    public static let event = Hold(rawValue: "event")
    /// A plan waits for its next step; what holds that step follows.
    public static let step = Hold(rawValue: "step")

    /// Every word of this version. They are published.
    package static let all: [Hold] = [
      schedule, retry, snooze, restored, paused, gate, window, cap, order, after, handler, suspect, operation,
      department, epoch,
      queue, noTeller, claim, running, stuck, ended, step, event,
    ]
  }
}
