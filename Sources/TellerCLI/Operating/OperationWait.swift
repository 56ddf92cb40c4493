import JobTransport
import Teller

/// Follows a command about many jobs until it is done. The coordinator may be replaced meanwhile: the command goes on.
///
/// It asks again and again, less and less often. `wait` is told by the coordinator, which knows for each job who waits
/// for it; an operation has no job whose end is its own, and who follows one wants to see how far it is, not only its
/// end. Two short questions a second, answered from the coordinator's memory, are less than it would take to keep and to
/// restore a list of those who follow.
struct OperationWait: Sendable {
  /// Before it is asked for the first time, and how long at most from one question to the next; each pause is twice the
  /// one before.
  static let firstPause: Duration = .milliseconds(50)
  static let longestPause: Duration = .milliseconds(500)

  let client: TellerClient
  /// Whether one JSON object is printed at the end, and nothing before.
  let json: Bool

  /// Tells how far it is on one line of a terminal that is rewritten, in a pipe nothing until the end.
  ///
  /// - Parameters:
  ///   - operation: As it was answered.
  ///   - noWait: Whether to tell of it as it is, and leave it to itself.
  /// - Throws: `TellerError` when neither broker nor coordinator has answered for `ClientTimeouts.coordinator`.
  func follow(_ operation: OperationDocument, noWait: Bool) async throws {
    let isShown = !json && TerminalSize.progressColumns != nil
    defer { if isShown { Output.progress(nil) } }
    var last = operation
    if !noWait {
      last = try await end(of: operation) { document in
        if isShown { Output.progress(OperationText.progress(document)) }
      }
    }
    if isShown { Output.progress(nil) }
    if json { try Output.json(last) } else { Output.line(OperationText.line(last)) }
  }

  private func end(
    of operation: OperationDocument, show: (OperationDocument) -> Void
  ) async throws -> OperationDocument {
    var last = operation
    var pause = OperationWait.firstPause
    var lastAnswer = ContinuousClock.now
    while last.finishedAt == nil {
      show(last)
      try await Task.sleep(for: pause)
      pause = min(pause * 2, OperationWait.longestPause)
      do {
        last = try await client.operationDocument(operation.id)
        lastAnswer = .now
      } catch let error as TellerError
        where error.mayPass && lastAnswer.duration(to: .now) < OutcomeWait.patience
      {
        continue
      }
    }
    return last
  }
}

/// A command about many jobs, for people.
enum OperationText {
  /// `cancel: 61000 of 100000 jobs looked at, 60500 cancelled`.
  static func progress(_ operation: OperationDocument) -> String {
    "\(operation.action): \(operation.looked) of \(total(operation)) jobs looked at, \(changed(operation))"
  }

  /// How it ended, or how far it is.
  static func line(_ operation: OperationDocument) -> String {
    guard let finished = operation.finishedAt else {
      return "operation \(operation.id) goes on: \(operation.action) of \(scope(operation)), "
        + "\(operation.looked) of \(total(operation)) looked at, \(changed(operation))"
    }
    let time = Moments.duration(max(0, finished.milliseconds(since: operation.startedAt)))
    return
      "\(operation.action) of \(scope(operation)): \(changed(operation)), of \(operation.looked) looked at, in \(time)"
  }

  private static func scope(_ operation: OperationDocument) -> String {
    let words = [
      operation.kind.map { "kind \($0)" }, operation.department.map { "department \($0)" },
    ].compactMap { $0 }
    if !words.isEmpty { return words.joined(separator: ", ") }
    return ["replay", "drop"].contains(operation.action) ? "all failed jobs" : "all jobs"
  }

  /// What was counted when it began may be fewer than there turn out to be.
  private static func total(_ operation: OperationDocument) -> Int { max(operation.total, operation.looked) }

  private static func changed(_ operation: OperationDocument) -> String {
    switch operation.action {
    case "cancel", "reset": "\(operation.changed) cancelled"
    case "replay": "\(operation.changed) replayed"
    case "drop": "\(operation.changed) dropped"
    default: "\(operation.changed) changed"
    }
  }
}
