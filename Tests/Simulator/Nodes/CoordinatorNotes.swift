import Bookkeeping
import JobModel

// What a coordinator tells, for the states that are sometimes reached.
extension CoordinatorNode {
  func note(_ batch: [Outgoing]) {
    for item in batch { world.sometimes.note(state(of: item)) }
  }

  private func state(of item: Outgoing) -> Sometime? {
    switch item {
    case .assignment(let assignment):
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

  func note(_ notification: Notification) {
    switch notification.event {
    case "went_back": world.sometimes.note(.planWentBack)
    case "event_acted", "event_dismissed": world.sometimes.note(.eventChosen)
    case "succeeded" where notification.kind == .plan: world.sometimes.note(.planEnded)
    case "succeeded" where notification.kind == "alert": world.sometimes.note(.ruleFired)
    case "succeeded" where notification.kind == "tick": world.sometimes.note(.scheduleFired)
    default: break
    }
  }
}

extension Sometimes {
  mutating func note(_ state: Sometime?) { if let state { note(state as Sometime) } }
}
