import AMQP
import JobModel
import JobTransport

extension ClientCore {
  /// The most messages that are handed to the connection at once, and their most bytes.
  static let submissionBatch = SubmissionRoom.Load(messages: 1_024, bytes: 8 << 20)

  /// Submits a submission: together with those of other tasks where it comes through at once, else by itself.
  ///
  /// - Throws: as ``submit(_:)``.
  func submit(_ submission: Submission) async throws {
    openSubmissions.begin()
    defer { openSubmissions.end() }
    let end = ContinuousClock.now + timeouts.submit
    let obstacle = obstacle(on: lines.submitting, waited: timeouts.submit)
    let load = SubmissionRoom.Load(messages: 1, bytes: submission.content.payload.count)
    let answer = try await room.ifRoom(for: load) {
      try await sharedSubmissions.send(submission, late: obstacle.error)
    }
    switch answer {
    case .confirmed: return
    // Perhaps of another submission, in the same message.
    case .notTaken(.refused): break
    case .notTaken(let result): try obstacle.met(result)
    case nil: break
    }
    // Alone it has the rest of the time.
    do {
      _ = try await submit(
        SubmissionPacks.write([submission]).map(\.message), within: max(.zero, end - .now), obstacle,
        last: submission.answeredID)
    } catch let refused as RefusedMessage {
      throw TellerError.messageRefused(reason: refused.reason)
    }
  }

  /// Sends messages, and sends them again as often as necessary, until the broker has confirmed every one.
  ///
  /// - Throws: a `TellerError` when no message was confirmed for `timeouts.submit`.
  func submit(_ packs: [SubmissionPacks.Pack]) async throws {
    openSubmissions.begin()
    defer { openSubmissions.end() }
    try await send(packs)
  }

  private func send(_ packs: [SubmissionPacks.Pack]) async throws {
    let count = packs.reduce(0) { $0 + $1.count }
    var (rest, submitted) = (packs[...], 0)
    func submit(_ batch: ArraySlice<SubmissionPacks.Pack>) async throws {
      do {
        try await self.submit(batch: batch.map(\.message))
      } catch let error as TellerError where count > 1 {
        throw TellerError.incomplete(submitted: submitted, of: count, reason: error)
      }
      submitted += batch.reduce(0) { $0 + $1.count }
    }
    while !rest.isEmpty {
      let batch = rest.prefix(upTo: ClientCore.submissionBatch)
      do {
        try await submit(batch)
        rest = rest.dropFirst(batch.count)
      } catch let refused as RefusedMessage {
        let index = batch.firstIndex { $0.message == refused.message } ?? batch.startIndex
        // Once more those before it: the coordinator knows them by their ids.
        if index > batch.startIndex { try await submit(batch[..<index]) }
        guard batch[index].count > 1 else { throw refused.error(behind: submitted, of: count) }
        // One of several submissions is too large, or all together are: each goes alone.
        rest = ArraySlice(batch[index].parts + rest[(index + 1)...])
      }
    }
  }

  private func submit(batch: [Publishing]) async throws {
    var rest = batch
    while !rest.isEmpty {
      let obstacle = obstacle(on: lines.submitting, waited: timeouts.submit)
      rest = try await submit(rest, within: timeouts.submit, obstacle)
    }
  }

  /// `last`: the last submission, if the coordinator answers it.
  ///
  /// - Returns: the messages that were not confirmed; at least one was.
  private func submit(
    _ messages: [Publishing], within limit: Duration, _ obstacle: Obstacle, last: JobID? = nil
  ) async throws -> [Publishing] {
    try await within(limit, orThrow: obstacle.error) {
      try await self.room.with(messages.load, unless: obstacle.atOnce) {
        _ = self.submissionTurns.begin(last: last, at: .now)
        defer { self.submissionTurns.end() }
        return try await self.send(messages, obstacle)
      }
    }
  }

  /// Sends messages until at least one is confirmed.
  ///
  /// - Returns: the others.
  private func send(_ messages: [Publishing], _ obstacle: Obstacle) async throws -> [Publishing] {
    var backOff = BackOff.resending
    while true {
      let node = try await links.current.node
      do {
        let results = try await lines.submitting.connection(to: node).publish(cancellable: messages)
        for (message, result) in zip(messages, results) {
          if let reason = result.refusal { throw RefusedMessage(message: message, reason: reason) }
        }
        let refused = zip(messages, results).filter { $1 != .confirmed }
        try obstacle.met(refused.last?.1)
        if refused.count < messages.count { return refused.map(\.0) }
      } catch let error as AMQPError {
        // The messages may have arrived; the coordinator knows a job that comes again by its id.
        try obstacle.met(error)
      }
      try await Task.sleep(for: backOff.next())
    }
  }
}

/// A message that the broker does not take, with the broker's words.
private struct RefusedMessage: Error {
  let message: Publishing
  let reason: String

  /// The error of a call that had so many submissions, of which so many are known to be submitted.
  func error(behind submitted: Int, of count: Int) -> TellerError {
    let error = TellerError.messageRefused(reason: reason)
    return count == 1 ? error : .incomplete(submitted: submitted, of: count, reason: error)
  }
}

extension Submission {
  /// Its id, if the coordinator answers it.
  var answeredID: JobID? { reply == nil ? nil : id }
}

extension [Publishing] {
  fileprivate var load: SubmissionRoom.Load {
    SubmissionRoom.Load(messages: count, bytes: reduce(0) { $0 + $1.body.count })
  }
}

extension ArraySlice<SubmissionPacks.Pack> {
  /// The first packs, at least one, with so many messages and bytes at most.
  fileprivate func prefix(upTo limit: SubmissionRoom.Load) -> Self {
    var (count, bytes) = (0, 0)
    for pack in self {
      bytes += pack.message.body.count
      if count == limit.messages || (count > 0 && bytes > limit.bytes) { break }
      count += 1
    }
    return prefix(count)
  }
}
