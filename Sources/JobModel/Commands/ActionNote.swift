/// What was done that is no command of the coordinator, to be recorded beside the commands: by a screen of your own, or by
/// a program for operators.
public struct ActionNote: Hashable, Sendable {
  /// What was done, as a short, stable word: 1–40 lower-case letters of ASCII, digits and `_`, such as `count_cash`. The word
  /// of a command, such as `cancel`, is refused: nobody makes up a command.
  public var action: String
  /// The job, the run of a plan, or the event that it was about; nil: it was about something else.
  public var job: JobID?
  /// The department that it was about.
  public var department: Department?
  /// The kind of jobs that it was about.
  public var kind: JobKind?
  /// What else it was about, by its name: 1–200 bytes without control characters.
  public var name: String?
  /// What was asked for, in a few words: 1–200 bytes without control characters.
  public var detail: String?

  /// The longest ``action``, in bytes.
  public static let longestAction = 40

  /// A note about an action.
  public init(
    _ action: String, job: JobID? = nil, department: Department? = nil, kind: JobKind? = nil, name: String? = nil,
    detail: String? = nil
  ) {
    (self.action, self.job, self.department, self.kind) = (action, job, department, kind)
    (self.name, self.detail) = (name, detail)
  }
}

extension ActionNote: Codable {
  package enum CodingKeys: String, CodingKey, CaseIterable {
    case action, job, department, kind, name, detail
  }
}

extension ActionNote {
  /// The words of what Teller's own page and command line record.
  package enum Word: String, CaseIterable, Sendable {
    case startPlan = "start_plan"
    case sendEvent = "send_event"
    case acceptEvent = "accept_event"
    case dismissEvent = "dismiss_event"
    case putBack = "put_back"
    case dropRejected = "drop_rejected"
    case screen
  }

  package init(_ word: Word, job: JobID? = nil, name: String? = nil, detail: String? = nil) {
    self.init(word.rawValue, job: job, name: name, detail: detail)
  }

  /// Somebody has accepted or dismissed an event. `isNew`: false when it was decided before; or when this choice decided, its
  /// answer got lost, and it was sent again. So it is recorded in either case.
  package static func choice(_ word: Word, of event: JobID, isNew: Bool) -> ActionNote {
    ActionNote(word, job: event, detail: isNew ? nil : "decided before")
  }
}
