import JobModel
import Yams

/// An event of a plan as it is read: its name can be used.
struct EventDraft {
  enum Keys: String, SettingsKey {
    case name, rank, kind
    case whenOpen = "when_open"
  }

  let name: EventName
  /// Where the file names it.
  let place: Node
  private let block: SettingsBlock<Keys>
  /// Nil: it is not there, or cannot be used. That is noted.
  private let rank: Int?
  private let kind: JobKind?
  private let whenOpen: PlanEvent.WhenOpen?

  /// Reads every key; `name:` and `rank:` must be there. Nil when the name cannot be used.
  init?(_ node: Node, _ kinds: KnownKinds, _ mistakes: inout Mistakes) {
    guard let block = SettingsBlock<Keys>(node, named: "an event", &mistakes) else { return nil }
    let called = block[.name]?.scalar.map { "event \(Shown.text($0.string))" } ?? "an event"
    block.require([.name, .rank], of: called, &mistakes)
    let name = block.name(.name, &mistakes) { EventName($0) }
    rank = block.number(.rank, within: Submission.rankLimits, &mistakes)
    kind = block.name(.kind, &mistakes) { JobKind($0) }
    whenOpen = block.word(.whenOpen, of: PlanEvent.WhenOpen.self, &mistakes)
    kinds.check(kind, at: block[.kind], &mistakes)
    guard let name else { return nil }
    (self.block, self.name, place) = (block, name, block[.name] ?? node)
    if block[.kind] == nil, let kind = JobKind(name.name) { kinds.checkName(kind, at: place, &mistakes) }
  }

  /// The event, with something else in the place of what could not be read.
  func event(_ standIn: PlanStandIn) -> PlanEvent {
    PlanEvent(name, rank: rank ?? standIn.rank, kind: kind, whenOpen: whenOpen ?? .run)
  }

  /// Where a member of the event stands. Nil: the member could not be read, which is noted.
  func place(of member: String) -> Node? {
    switch Keys(rawValue: member) {
    case .rank where rank == nil: nil
    case let key: key.flatMap { block[$0] } ?? place
    }
  }
}
