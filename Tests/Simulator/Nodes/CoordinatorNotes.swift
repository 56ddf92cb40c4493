import AuditSupport
import Bookkeeping
import Decisions
import JobModel

// What a coordinator tells, for the states that are sometimes reached.
extension CoordinatorNode {
  func note(_ batch: [Outgoing]) {
    for item in batch {
      world.sometimes.note(state(of: item))
      if case .recorded(_, let release) = item { checkRecorded(release) }
    }
  }

  /// A worker that is told that its report is recorded forgets its run: that release is over.
  private func checkRecorded(_ release: ReleaseID) {
    guard let standing = try? file.reading.standing(of: release.job), standing.state == LedgerState.queued,
      standing.release == release.number
    else { return }
    world.failures.append("\(name) tells that a report of \(release) is recorded, and it is released as before")
  }

  private func state(of item: Outgoing) -> Sometime? {
    switch item {
    case .news(let event, _):
      if !mayRelay(event) { world.failures.append("\(name) tells \(event), which nobody follows") }
      return nil
    case .probe(_, let number, _):
      world.lastProbe = max(world.lastProbe, number)
      return nil
    case .assignment(let assignment):
      world.released = world.released.suffix(40) + [assignment]
      if assignment.isBeside { world.sometimes.note(.beside) }
      return assignment.release.number > 1 ? .releasedAgain : nil
    case .verdict(_, let answer):
      if case .run = answer.verdict { return .granted }
      return .claimRefused
    case .void(_, let change): return change.void.isEmpty ? .forgotten : .void
    case .adopted: return .adopted
    case .stop: return .stopped
    case .reranked: return .reranked
    case .reply(_, let reply), .acceptance(_, let reply):
      guard case .duplicate = reply.content else { return nil }
      return reply.decided?.isAgain == true ? .acceptedTwice : .duplicateKey
    default: return nil
    }
  }

  /// Whether a configuration has such changes relayed that may have been in force since nothing was left to be told.
  private func mayRelay(_ event: LiveEvent) -> Bool {
    let all = world.inForce
    guard self === world.coordinators.first, !all.spans.isEmpty else { return world.followed.contains(event) }
    return all.present(between: toldAllAt, and: world.moment).contains { $0.configuration.live.contains(event) }
  }

  /// Whether a configuration has an optional event recorded that may have been in force when it was. It may be told
  /// long after that. A ledger that was rolled back, and one of another coordinator, may have it from any of them.
  private func mayTell(_ event: OptionalEvent, _ notification: Notification) -> Bool {
    var settings = Array(world.notified)
    if self === world.coordinators.first, !world.isRolledBack, let number = notification.seq {
      let configurations = world.inForce.configurations(atEvent: number)
      if !configurations.isEmpty { settings = configurations.map(\.notifying) }
    }
    return settings.contains { $0.tells(event, in: notification.department) }
  }

  func note(_ notification: Notification) {
    if let event = OptionalEvent(rawValue: notification.event), !mayTell(event, notification) {
      world.failures.append("\(name) tells \(event), which nobody has asked for")
    }
    switch notification.event {
    case "went_back": world.sometimes.note(.planWentBack)
    case "event_acted", "event_dismissed": world.sometimes.note(.eventChosen)
    case "succeeded" where notification.kind == .plan: world.sometimes.note(.planEnded)
    case "succeeded" where notification.kind == "alert": world.sometimes.note(.ruleFired)
    case "succeeded" where notification.kind == "tick": world.sometimes.note(.scheduleFired)
    case "succeeded" where notification.kind == WebhookSettings.kind: world.sometimes.note(.delivered)
    default: break
    }
  }
}

extension Sometimes {
  mutating func note(_ state: Sometime?) { if let state { note(state as Sometime) } }
}
