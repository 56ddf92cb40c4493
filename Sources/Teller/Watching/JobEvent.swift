public import Foundation
public import JobModel
import JobTransport

/// A change of a job's state, or something else that happened, as a watch tells it. See
/// ``TellerClient/events(since:matching:)``.
public struct JobEvent: Hashable, Sendable {
  /// What happened.
  public enum Change: Hashable, Sendable {
    /// The job was accepted. Live only, if the settings of the coordinator ask for it (`live:`) and the filter names it.
    case accepted
    /// The job was released to the queue of its department; one that runs again is released again. As ``accepted``.
    case released
    /// The handler has been running for a moment; a shorter run is never told. Live only: it may come after the end of
    /// its job, and then the end counts.
    case started
    /// The handler says how far it has come: ``JobEvent/progress``. Live only, and only if the watch was asked to tell it.
    case progress
    /// The job has ended: the handler returned.
    case succeeded
    /// The job has ended: its attempts are used up, or the failure was permanent.
    case failed
    /// The job has ended: it was cancelled.
    case cancelled
    /// An attempt has failed, or was cut short, and the job is tried again at ``JobEvent/retryAt``.
    case attemptFailed
    /// An optional step of a plan has failed, or was cancelled, and the plan goes on without it. The failure itself was
    /// told before.
    case passedOver
    /// A step of a plan has failed with the code of its re-entry, and earlier steps run again.
    case wentBack
    /// The department ``JobEvent/department`` was paused.
    case paused
    /// The department ``JobEvent/department`` goes on.
    case resumed
    /// The key ``JobEvent/key`` of the kind can be used again. Told only where the settings of the coordinator ask for it.
    case keyFreed
    /// A submission was refused and parked: nobody was there to be told.
    case parked
    /// The rule ``JobEvent/name`` could not make its job.
    case ruleFailed
    /// An event that a plan receives has got this state; ``JobEvent/name`` is the event's name.
    case received(EventState)
    /// A change that only a later version knows.
    case other(String)
  }

  /// The id of the job, of the plan's run, or of the event that a plan receives; nil: it is about something else, such as
  /// a department that was paused.
  public var job: JobID?
  /// The job's kind; nil as ``job``.
  public var kind: JobKind?
  /// The department; nil: it is about none, such as a key that was freed.
  public var department: Department?
  /// The change.
  public var change: Change
  /// The attempt of the change, from 1. Of what a plan tells: always 1, without a meaning. Nil: it is not about a job.
  public var attempt: Int?
  /// When the change happened, by the coordinator's clock.
  public var at: Date
  /// How long before `at` the attempt began; nil when none did.
  public var startedAgo: Duration?
  /// How long the handler ran, by its worker's clock.
  public var ran: Duration?
  /// Why the job failed or was cancelled, or the attempt failed, or the submission was refused.
  public var failure: JobFailure?
  /// The plan, of what a plan with a name tells: its outcome, and the changes of its steps and events that are the plan's.
  public var plan: PlanName?
  /// The name of the step or of the event, of what a plan tells, and of the outcome of a plan's job. Of a rule that could not
  /// make its job: the rule's name. Of a message that was parked: its id, where that is no job's id.
  public var name: String?
  /// The key with which the job was submitted, or that was freed.
  public var key: String?
  /// Of an attempt that has failed: when it is tried again; nil: at once.
  public var retryAt: Date?
  /// How far the run has come, of the change ``Change/progress``.
  public var progress: RunProgress?
  /// The event's place among all recorded events; nil for a live event.
  public var position: EventPosition?

  /// Whether the event is live: it was relayed and not recorded. A live event may be missing, and is never repeated.
  public var isLive: Bool { position == nil }
}

extension JobEvent: CustomStringConvertible {
  /// What happened, and to what, in a few words: `failed loans loan 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11`.
  public var description: String {
    let about = [department?.name, kind?.name, job?.description, plan?.name, name, key]
    return ([change.name] + about.compactMap { $0 }).joined(separator: " ")
  }
}

/// The place of a recorded event. A later event has a greater position.
///
/// Its text, such as `1/42/1337`, and its JSON hold all of it: a program that writes its last position down can watch on
/// from there when it starts again.
public struct EventPosition: Hashable, Sendable, Codable, Comparable, LosslessStringConvertible {
  /// The epoch of the ledger. A ledger that was put back to an earlier state begins a new one: no position comes twice.
  public var epoch: Int
  /// Counts the events of an epoch, without gaps.
  public var sequence: Int64
  /// Where the broker keeps the event. Only a hint: a watch that begins there need not read all the older events. Positions
  /// of one event are equal with and without it.
  public var offset: Int64?

  /// The position of an event, by its epoch and its number in it.
  public init(epoch: Int, sequence: Int64, offset: Int64? = nil) {
    self.epoch = epoch
    self.sequence = sequence
    self.offset = offset
  }

  /// The position that has this text; nil: the text has another form.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int64($0) }
    guard (2...3).contains(parts.count), let epoch = parts[0].flatMap(Int.init(exactly:)), let sequence = parts[1],
      parts.allSatisfy({ ($0 ?? -1) >= 0 })
    else { return nil }
    self.init(epoch: epoch, sequence: sequence, offset: parts.count == 3 ? parts[2] : nil)
  }

  /// Epoch, number and offset, such as `1/42/1337`, or `1/42` without an offset.
  public var description: String { "\(epoch)/\(sequence)" + (offset.map { "/\($0)" } ?? "") }
  /// Whether both are the position of the same event.
  public static func == (left: EventPosition, right: EventPosition) -> Bool {
    (left.epoch, left.sequence) == (right.epoch, right.sequence)
  }
  /// Hashes what makes two positions equal.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(epoch)
    hasher.combine(sequence)
  }
  /// By epoch, then by number.
  public static func < (left: EventPosition, right: EventPosition) -> Bool {
    (left.epoch, left.sequence) < (right.epoch, right.sequence)
  }
}

/// Where a watch begins.
public enum EventStart: Hashable, Sendable {
  /// With the oldest event that the broker still keeps.
  case start
  /// With the next event.
  case now
  /// Behind that event.
  case after(EventPosition)
  /// With the first event that happened at that moment or later, by the coordinator's clock, of those that the broker still
  /// keeps; all that comes behind it is told.
  case at(Date)
}

extension JobEvent.Change {
  init(_ name: String) { self = Self.known.first { $0.name == name } ?? .other(name) }

  private static let known: [JobEvent.Change] =
    live + [.succeeded, .failed, .cancelled]
    + [.kept, .acted, .announced, .dismissed].map { .received($0) }
    + [.attemptFailed, .passedOver, .wentBack, .paused, .resumed, .keyFreed, .parked, .ruleFailed]

  /// The changes that are never recorded.
  package static let live: [JobEvent.Change] = [.accepted, .released, .started, .progress]

  /// The words of all changes that this version knows, as the wire has them.
  package static let names: [String] = known.map(\.name)

  /// The change as a word, such as `succeeded`.
  public var name: String {
    switch self {
    case .accepted: LiveEvent.accepted.rawValue
    case .released: LiveEvent.released.rawValue
    case .started: "started"
    case .progress: "progress"
    case .succeeded: "succeeded"
    case .failed: "failed"
    case .cancelled: "cancelled"
    case .attemptFailed: OptionalEvent.attemptFailed.rawValue
    case .passedOver: OptionalEvent.passedOver.rawValue
    case .wentBack: OptionalEvent.wentBack.rawValue
    case .paused: OptionalEvent.paused.rawValue
    case .resumed: OptionalEvent.resumed.rawValue
    case .keyFreed: OptionalEvent.keyFreed.rawValue
    case .parked: OptionalEvent.parked.rawValue
    case .ruleFailed: OptionalEvent.ruleFailed.rawValue
    case .received(let state): PlanNews.word(of: state)
    case .other(let name): name
    }
  }
}

extension EventFilter {
  /// The routing keys of what is live and meant. Only what is named is read, but for `started`: of the others there are
  /// many, and most watches are about outcomes.
  var liveKeys: [String] {
    let progress = events.contains(JobEvent.Change.progress.name) ? [Topology.RoutingKey.anyProgress] : []
    let changes = LiveEvent.allCases.filter { events.contains($0.rawValue) }.map(Topology.RoutingKey.live)
    return [Topology.RoutingKey.live] + progress + changes
  }

  /// Whether an event is meant.
  public func passes(_ event: JobEvent) -> Bool {
    passes(
      Notification(
        job: event.job, kind: event.kind, department: event.department, event: event.change.name,
        at: Timestamp(event.at), error: event.failure, plan: event.plan, name: event.name, key: event.key))
  }
}

extension JobEvent {
  /// `epoch`: nil for a live event. `offset`: where the stream keeps the event.
  init(_ notification: JobModel.Notification, epoch: Int?, offset: Int64? = nil) {
    job = notification.job
    kind = notification.kind
    department = notification.department
    change = Change(notification.event)
    attempt = notification.attempt
    at = notification.at.date
    startedAgo = notification.startedAgoMs.map { .milliseconds($0) }
    ran = notification.runMs.map { .milliseconds($0) }
    failure = notification.error
    (plan, name, key) = (notification.plan, notification.name, notification.key)
    retryAt = notification.retryAt?.date
    progress = RunProgress(notification)
    if let epoch, let sequence = notification.seq {
      position = EventPosition(epoch: epoch, sequence: sequence, offset: offset)
    }
  }
}
