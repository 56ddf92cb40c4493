import Foundation
import HostingSupport
import JobModel
import Synchronization

@testable import Teller
@testable import TellerPage

/// Plays the coordinator and the notification stream for a hub.
final class PlayedSource: HubSource {
  private struct State {
    var standing = ClientStanding.connected
    var through: Int64 = 0
    var problem: TellerError?
    var gate: Gate?
    var questions: [[Department]] = []
    var starts: [EventStart] = []
    var events: AsyncStream<JobEvent>.Continuation?
  }

  private let state = Mutex(State())

  var standing: ClientStanding { state.withLock { $0.standing } }
  var questions: [[Department]] { state.withLock { $0.questions } }
  /// Where the reading began, each time.
  var starts: [EventStart] { state.withLock { $0.starts } }
  var isRead: Bool { state.withLock { $0.events != nil } }

  func stand(_ standing: ClientStanding) { state.withLock { $0.standing = standing } }
  /// From now on the coordinator does not answer; nil: it does again.
  func refuse(_ problem: TellerError?) { state.withLock { $0.problem = problem } }

  /// From now on the coordinator answers when the gate is open.
  func hold(_ gate: Gate) { state.withLock { $0.gate = gate } }

  func board(of departments: [Department], rows: Int) async throws -> Board {
    let (through, problem, gate) = state.withLock { state in
      state.questions.append(departments)
      return (state.through, state.problem, state.gate)
    }
    await gate?.wait()
    if let problem { throw problem }
    return .played(through: through)
  }

  func read(
    since start: EventStart, began: @Sendable () async -> Void, _ take: @Sendable (JobEvent) async -> Void
  ) async throws {
    let (events, continuation) = AsyncStream.makeStream(of: JobEvent.self)
    state.withLock { state in
      state.starts.append(start)
      state.events = continuation
    }
    await began()
    for await event in events { await take(event) }
    state.withLock { $0.events = nil }
    try Task.checkCancellation()
    throw TellerError.brokerUnavailable(reason: "the test has ended the stream")
  }

  /// Records the next so many events. Nobody reads them unless somebody reads the stream.
  @discardableResult
  func record(_ count: Int, error: String? = nil) -> [EventPosition] {
    state.withLock { state in
      (0..<count).map { _ in
        state.through += 1
        let event = JobEvent.played(state.through, error: error)
        state.events?.yield(event)
        return EventPosition(epoch: 1, sequence: state.through)
      }
    }
  }

  /// The reading ends with an error.
  func breakStream() { state.withLock { $0.events }?.finish() }
}

extension JobEvent {
  /// A success, or a failure, with that number.
  static func played(_ sequence: Int64, error: String? = nil) -> JobEvent {
    var event = JobEvent(
      Notification(
        seq: sequence, job: JobID(), kind: "deposit", department: "front", event: error == nil ? "succeeded" : "failed",
        attempt: 1, at: Timestamp(milliseconds: sequence)), epoch: 1)
    event.failure = error.map { JobFailure(code: "test", message: $0) }
    return event
  }
}

extension Board {
  /// Two departments with a job each that waits.
  static func played(through: Int64, broker: BrokerState = .connected) -> Board {
    Board(
      at: Timestamp(milliseconds: 1_790_000_000_000), ledger: LedgerID("l"), epoch: 1, through: through,
      counted: through,
      coordinator: CoordinatorStatus(startedAt: Timestamp(milliseconds: 0), version: "test"),
      broker: BrokerStatus(state: broker), workers: 1, operations: [],
      departments: [.played("back"), .played("front")])
  }
}

extension DepartmentBoard {
  static func played(_ name: Department) -> DepartmentBoard {
    let status = DepartmentStatus(
      department: name, isOrdered: false, isPaused: false, window: 10, cap: nil, tellers: 1, held: 0, delayed: 0,
      dependent: 0, void: 0, queued: 1, running: 0, succeeded: 0, failed: 0, cancelled: 0)
    let row = WaitingRow(
      id: JobID(), number: 1, kind: "deposit", priority: .normal, rank: nil, key: nil, step: nil,
      since: Timestamp(milliseconds: 0), isReleased: true)
    return DepartmentBoard(
      status: status, forecast: DepartmentForecast(course: .silent, reason: .fewSamples, samples: 1), waiting: [row])
  }
}
