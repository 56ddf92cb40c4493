import JobModel

/// Acceptances of jobs whose submitters wait for the outcome, too. Many a job ends within a few milliseconds: then both replies
/// leave together, and the broker and the submitter have one message's work for two.
struct WaitingAcceptances {
  private struct Address: Hashable {
    let replyTo: String
    let job: String?
  }

  private var waiting: [Address: Outgoing] = [:]

  var isEmpty: Bool { waiting.isEmpty }

  /// Takes an acceptance in. Any other item goes on, an outcome behind its acceptance.
  ///
  /// - Returns: what goes on, in order.
  mutating func take(_ item: Outgoing) -> [Outgoing] {
    switch item {
    case .acceptance(let replyTo, let reply):
      let earlier = waiting.updateValue(item, forKey: Address(replyTo: replyTo, job: reply.job))
      return earlier.map { [$0] } ?? []
    case .reply(let replyTo, let reply):
      if isEmpty { return [item] }
      let acceptance = waiting.removeValue(forKey: Address(replyTo: replyTo, job: reply.job))
      return acceptance.map { [$0, item] } ?? [item]
    default: return [item]
    }
  }

  /// They wait no longer.
  mutating func takeAll() -> [Outgoing] {
    defer { waiting = [:] }
    return Array(waiting.values)
  }
}
