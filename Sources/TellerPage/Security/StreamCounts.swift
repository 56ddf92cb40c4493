/// How many streams of live news there are, and whose. A pure value.
struct StreamCounts: Sendable {
  /// Whose stream it is: of a session, and of a machine of the network. The people of this machine alone have neither.
  struct Owner: Hashable, Sendable {
    var session: Sessions.ID?
    var machine: String?
  }

  let limit: Int
  let limitOfSession: Int
  let limitOfMachine: Int
  private var sessions: [Sessions.ID: Int] = [:]
  private var machines: [String: Int] = [:]
  private(set) var count = 0

  init(_ limits: PageLimits) {
    (limit, limitOfSession, limitOfMachine) = (limits.streams, limits.streamsOfSession, limits.streamsOfMachine)
  }

  /// Counts a stream that is to begin.
  ///
  /// - Returns: why it may not, for people; nil: it may.
  mutating func begin(_ owner: Owner) -> String? {
    if count >= limit { return "\(limit) streams are open, and there may be no more; close some pages, or wait" }
    if let session = owner.session, sessions[session, default: 0] >= limitOfSession {
      return "you have \(limitOfSession) pages open, and may have no more; close some"
    }
    if let machine = owner.machine, machines[machine, default: 0] >= limitOfMachine {
      return "your machine has \(limitOfMachine) pages open, and may have no more; close some"
    }
    count += 1
    if let session = owner.session { sessions[session, default: 0] += 1 }
    if let machine = owner.machine { machines[machine, default: 0] += 1 }
    return nil
  }

  /// Counts the end of a stream that has begun.
  mutating func end(_ owner: Owner) {
    count -= 1
    if let session = owner.session { sessions[session] = StreamCounts.less(sessions[session]) }
    if let machine = owner.machine { machines[machine] = StreamCounts.less(machines[machine]) }
  }

  private static func less(_ count: Int?) -> Int? { count.flatMap { $0 > 1 ? $0 - 1 : nil } }
}
