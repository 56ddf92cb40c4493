import JobModel
import JobTransport

// Actions about rejected messages. The coordinator has no part in them: the queue is read by a connection of its own.
extension Actions {
  private struct IDsBody: Decodable {
    var ids: [String]

    /// The most ids of a form.
    static let most = 1_000

    func check() throws(PageProblem) {
      guard (1...IDsBody.most).contains(ids.count) else {
        throw .invalid("name 1–\(IDsBody.most) messages by their ids")
      }
    }
  }

  static func putBack(_ call: ActionCall) async throws -> [UInt8] {
    let ends = try await handling(.putBack, call) { queue, messages, handled in
      try await queue.putBack(messages) { handled.add($0) }
    }
    return try PrintedJSON.bytes(ends.map { RejectedDocument.PutBack($0.message, $0.obstacle) })
  }

  static func dropRejected(_ call: ActionCall) async throws -> [UInt8] {
    let messages = try await handling(.dropRejected, call) { queue, messages, handled in
      try await queue.drop(messages)
      handled.add(messages)
      return messages
    }
    return try PrintedJSON.bytes(messages.map { RejectedDocument.Drop($0) })
  }

  /// Runs the body with the messages of the form's ids, and records those that it has handled: when others may read the queue
  /// again, and also when it came to no end.
  private static func handling<Value: Sendable>(
    _ word: ActionNote.Word, _ call: ActionCall,
    _ body: @escaping @Sendable (RejectedQueue, [RejectedMessage], HandledMessages) async throws -> Value
  ) async throws -> Value {
    let handled = HandledMessages()
    let result: Result<Value, any Error>
    do {
      result = .success(try await withMessages(call) { try await body($0, $1, handled) })
    } catch {
      result = .failure(error)
    }
    if let note = handled.note(word) { await call.record(note) }
    return try result.get()
  }

  /// Runs the body with the messages of those ids, which must all be there.
  private static func withMessages<Value: Sendable>(
    _ call: ActionCall, _ body: @escaping @Sendable (RejectedQueue, [RejectedMessage]) async throws -> Value
  ) async throws -> Value {
    let wanted: IDsBody = try call.body()
    try wanted.check()
    return try await RejectedVisit.ofPage(call.client).messages { queue, messages in
      try await body(queue, try chosen(Set(wanted.ids), of: messages))
    }
  }

  private static func chosen(
    _ ids: Set<String>, of messages: [RejectedMessage]
  ) throws(PageProblem) -> [RejectedMessage] {
    let chosen = messages.filter { ids.contains($0.id) }
    let firsts = Dictionary(chosen.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    if firsts.count < ids.count {
      throw PageProblem(
        status: 404, code: "not_found",
        message: "\(Topology.Queue.rejected) no longer has all of these messages, and nothing was done; load them again"
      )
    }
    // Of several messages with one id, one would be shown and another one put back.
    guard chosen.allSatisfy({ firsts[$0.id]?.hasSameContent(as: $0) == true }) else {
      throw .invalid("different messages have one id: somebody has made them so; `teller rejected` handles them")
    }
    return chosen
  }
}
