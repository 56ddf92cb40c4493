import JobModel
import JobTransport
import Yams

/// A step of a plan as it is read: what can be used of it, and where it stands.
struct StepDraft {
  enum Keys: String, SettingsKey {
    case name, rank, kind, payload, required, attempts, timeout
    case startWithin = "start_within"
    case reenter
  }

  private let node: Node
  private var block: SettingsBlock<Keys>?
  /// Nil: it is not there, or cannot be used. That is noted.
  private(set) var name: String?
  private(set) var rank: Int?
  private var kind: JobKind?
  private var payload: [UInt8]?
  private var isRequired = true
  private var attempts: Int?
  private var timeout: Duration?
  private var startWithin: Duration?
  private(set) var reentry: ReentryDraft?

  /// Reads every key; `name:`, `rank:` and `kind:` must be there. `room`: how many bytes the payloads of the plan may still
  /// have; below zero, none is read any more.
  init(_ node: Node, _ kinds: KnownKinds, room: inout Int, _ mistakes: inout Mistakes) {
    self.node = node
    guard let block = SettingsBlock<Keys>(node, named: "a step", &mistakes) else { return }
    self.block = block
    let called = block[.name]?.scalar.map { "step \(Shown.text($0.string))" } ?? "a step"
    block.require([.name, .rank, .kind], of: called, &mistakes)
    name = block.text(.name, &mistakes)
    rank = block.number(.rank, within: Submission.rankLimits, &mistakes)
    kind = block.name(.kind, &mistakes) { JobKind($0) }
    kinds.check(kind, at: block[.kind], &mistakes)
    payload = StepDraft.payload(block, &room, &mistakes)
    isRequired = block.flag(.required, &mistakes) ?? true
    attempts = block.number(.attempts, within: Submission.attemptLimits, &mistakes)
    timeout = block.duration(.timeout, within: Submission.timeoutLimits, &mistakes)
    startWithin = block.duration(.startWithin, within: .milliseconds(1)...Submission.longestWait, &mistakes)
    reentry = block[.reenter].flatMap { ReentryDraft($0, &mistakes) }
  }

  /// A JSON text. Null is the same as no payload.
  private static func payload(
    _ block: SettingsBlock<Keys>, _ room: inout Int, _ mistakes: inout Mistakes
  ) -> [UInt8]? {
    guard room >= 0, let value = block.payload(.payload, &mistakes), !value.isNull else { return nil }
    room -= value.bytes.count
    if room < 0 {
      // At the step, also when its payload is an alias.
      let limit = "the payloads of a plan have at most \(PayloadNode.largest) bytes together"
      mistakes.note(block.node, "\"payload\": \(limit)")
    }
    return value.bytes
  }

  /// The step, with something else in the place of what could not be read.
  func step(_ standIn: PlanStandIn, at index: Int, reentry: Reentry?) -> PlanStep {
    PlanStep(
      name: name ?? standIn.name(at: index), kind: kind ?? standIn.kind, rank: rank ?? standIn.rank, payload: payload,
      isRequired: isRequired, attempts: attempts, timeout: timeout, startWithin: startWithin, reentry: reentry)
  }

  /// Where a member of the step stands. Nil: the member could not be read, which is noted.
  func place(of member: String) -> Node? {
    switch Keys(rawValue: member) {
    case .name where name == nil, .rank where rank == nil: nil
    case .reenter: reentry?.place ?? node
    case let key: key.flatMap { block?[$0] } ?? node
    }
  }
}

/// A re-entry as it is read.
struct ReentryDraft {
  enum Keys: String, SettingsKey {
    case code = "on"
    case from
    case atMost = "at_most"
  }

  let reentry: Reentry
  /// Where the file says from which step.
  let place: Node

  /// Reads `on:` and `from:`, which must be there, and `at_most:`. Nil when nothing stands there, or one of the first two
  /// cannot be used.
  init?(_ node: Node, _ mistakes: inout Mistakes) {
    guard !node.isNothing, let block = SettingsBlock<Keys>(node, named: "\"reenter\"", &mistakes) else { return nil }
    block.require([.code, .from], of: "\"reenter\"", &mistakes)
    let code = block.value(.code, &mistakes, ReentryDraft.code)
    let from = block.text(.from, &mistakes)
    let atMost = block.number(.atMost, within: Reentry.limits, &mistakes)
    guard let code, let from else { return nil }
    reentry = Reentry(on: code, from: from, atMost: atMost ?? 1)
    place = block[.from] ?? node
  }

  private static func code(_ text: String) throws(BadValue) -> String {
    if (1...PlanStep.longestName).contains(text.utf8.count) { return text }
    throw BadValue("the code of a failure has 1–\(PlanStep.longestName) bytes")
  }
}
