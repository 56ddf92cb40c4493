import Bookkeeping
import JobModel

/// Things to tell, where what goes to the same reader at the same time is one message.
enum PackedOutgoing: Sendable {
  case answers(WorkerID, [ClaimAnswer])
  case adopted(WorkerID, [ReleaseID])
  case recorded(WorkerID, [ReleaseID])
  case void(Department, VoidChange)
  case replies(to: String, [Reply])
  case single(Outgoing)
}

extension [Outgoing] {
  /// The items in the same order, packed. Only neighbours of one kind are packed, which have no order among each other
  /// unless they go to the same reader. Assignments are no neighbours of anything: they go another way.
  /// After a crash of the broker, for example, every job of a worker is claimed, and all claims are answered at once.
  var packed: [PackedOutgoing] {
    var result: [PackedOutgoing] = []
    var packing = Packing()
    for item in self where !packing.take(item) {
      result += packing.all()
      packing = Packing()
      if !packing.take(item) { result.append(.single(item)) }
    }
    return result + packing.all()
  }
}

/// Neighbours of one kind that are being packed.
private struct Packing {
  private enum Kind { case answers, adopted, recorded, void, replies }

  private var kind: Kind?
  private var answers: [WorkerID: [ClaimAnswer]] = [:]
  private var adopted: [WorkerID: [ReleaseID]] = [:]
  private var recorded: [WorkerID: [ReleaseID]] = [:]
  private var void: [Department: VoidChange] = [:]
  private var replies: [ExactText: [Reply]] = [:]

  /// Whether it is of the kind that is being packed.
  mutating func take(_ item: Outgoing) -> Bool {
    switch item {
    case .verdict(let worker, let answer):
      guard begin(.answers) else { return false }
      answers[worker, default: []].append(answer)
    case .adopted(let worker, let release):
      guard begin(.adopted) else { return false }
      adopted[worker, default: []].append(release)
    case .recorded(let worker, let release):
      guard begin(.recorded) else { return false }
      recorded[worker, default: []].append(release)
    case .void(let department, let change):
      guard begin(.void) else { return false }
      void[department, default: VoidChange()].add(change)
    case .reply(let replyTo, let reply), .acceptance(let replyTo, let reply):
      guard begin(.replies) else { return false }
      replies[ExactText(replyTo), default: []].append(reply)
    default: return false
    }
    return true
  }

  private mutating func begin(_ kind: Kind) -> Bool {
    if self.kind == nil { self.kind = kind }
    return self.kind == kind
  }

  func all() -> [PackedOutgoing] {
    answers.map { .answers($0.key, $0.value) } + adopted.map { .adopted($0.key, $0.value) }
      + recorded.map { .recorded($0.key, $0.value) } + void.map { .void($0.key, $0.value) }
      + replies.map { .replies(to: $0.key.wrappedValue, $0.value) }
  }
}

extension VoidChange {
  /// What comes later counts: a release is in one of the lists only.
  fileprivate mutating func add(_ later: VoidChange) {
    if !later.forgotten.isEmpty, !void.isEmpty {
      let forgotten = Set(later.forgotten)
      list.releases.removeAll { forgotten.contains($0) }
      list.ended.removeAll { forgotten.contains($0) }
    }
    if !later.void.isEmpty, !forgotten.isEmpty {
      let again = Set(later.void)
      forgotten.removeAll { again.contains($0) }
    }
    list.releases += later.void
    list.ended += later.ended
    forgotten += later.forgotten
  }
}
