import Foundation
import Teller

/// Follows an operation until it is done. The operation goes on when the coordinator is replaced meanwhile.
///
/// It asks again and again, less and less often. A long poll like that of `wait` would only tell the end, and a person
/// wants to see the progress. Two short questions a second, answered from the coordinator's memory, cost less than a list
/// of the commands that follow an operation.
struct OperationWait: Sendable {
  /// The pause before the first question, and the longest pause; each pause is twice the last one.
  static let firstPause: Duration = .milliseconds(50)
  static let longestPause: Duration = .milliseconds(500)

  let client: TellerClient
  /// Whether to print one JSON object at the end, and nothing before.
  let json: Bool

  /// Shows the progress on one line of a terminal, in a pipe only the end. With `noWait` the operation as it is.
  ///
  /// - Throws: `Failure` when jobs that were to be replayed are left as they are; `TellerError` when neither broker nor
  ///   coordinator has answered for `ClientTimeouts.coordinator`.
  func follow(_ operation: JobOperation, noWait: Bool) async throws {
    let isShown = !json && TerminalSize.progressColumns != nil
    defer { if isShown { Output.progress(nil) } }
    let last = try await noWait ? operation : end(of: operation, isShown: isShown)
    if isShown { Output.progress(nil) }
    if json { try Output.json(last) } else { Output.line(OperationText.line(last)) }
    if let left = OperationText.left(last) { throw Failure(.rejected, left) }
  }

  private func end(of operation: JobOperation, isShown: Bool) async throws -> JobOperation {
    var last = operation
    var pause = OperationWait.firstPause
    var lastAnswer = ContinuousClock.now
    while last.finished == nil {
      if isShown { Output.progress(OperationText.progress(last)) }
      try await Task.sleep(for: pause)
      pause = min(pause * 2, OperationWait.longestPause)
      do {
        last = try await client.operation(operation.id)
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

/// An operation for people.
enum OperationText {
  /// `cancel: 61000 of 100000 jobs looked at, 60500 cancelled`.
  static func progress(_ operation: JobOperation) -> String {
    "\(verb(operation)): \(operation.looked) of \(total(operation)) jobs looked at, \(changed(operation))"
  }

  /// The operation's end, or its progress.
  static func line(_ operation: JobOperation) -> String {
    guard let finished = operation.finished else {
      return "operation \(operation.id) goes on: \(verb(operation)) of \(scope(operation))\(author(operation)), "
        + "\(operation.looked) of \(total(operation)) looked at, \(changed(operation))"
    }
    let time = Moments.between(operation.started, finished)
    return
      "\(verb(operation)) of \(scope(operation))\(author(operation)): \(changed(operation)), of \(operation.looked) looked at, "
      + "in \(time)"
  }

  /// Why not everything that was asked for is done; nil: it is, or will be. Of jobs that were to be cancelled, some may have
  /// ended by themselves.
  static func left(_ operation: JobOperation) -> String? {
    guard operation.action == .replay, operation.finished != nil, operation.changed < operation.looked else {
      return nil
    }
    return "\(operation.looked - operation.changed) jobs are left as they are: their departments are not in the "
      + "coordinator's teller.yaml any more, or somebody else has replayed or dropped them; see `teller failed`"
  }

  private static func author(_ operation: JobOperation) -> String { operation.by.map { ", by \($0)" } ?? "" }

  private static func verb(_ operation: JobOperation) -> String {
    switch operation.action {
    case .resetKeys: "reset keys"
    case .acceptRestored: "accept"
    case .dropRestored: "drop"
    default: operation.action.rawValue
    }
  }

  private static func scope(_ operation: JobOperation) -> String {
    let words = [
      operation.kind.map { "kind \($0)" }, operation.key.map { "key \($0)" },
      operation.department.map { "department \($0)" },
    ].compactMap { $0 }
    let isOfRestored = [.acceptRestored, .dropRestored].contains(operation.action)
    if !words.isEmpty { return (isOfRestored ? "restored jobs of " : "") + words.joined(separator: ", ") }
    if isOfRestored { return "all restored jobs" }
    return [.replay, .drop].contains(operation.action) ? "all failed jobs" : "all jobs"
  }

  /// How many jobs there are to look at. The count at the beginning may be too low.
  private static func total(_ operation: JobOperation) -> Int { max(operation.total, operation.looked) }

  private static func changed(_ operation: JobOperation) -> String {
    let done =
      switch operation.action {
      case .cancel, .reset, .resetKeys: "cancelled"
      case .replay: "replayed"
      case .drop, .dropRestored: "dropped"
      case .acceptRestored: "accepted"
      default: "changed"
      }
    return "\(operation.changed) \(done)"
  }
}
