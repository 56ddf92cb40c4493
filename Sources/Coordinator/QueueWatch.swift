import AMQP
import AsyncAlgorithms
import JobModel
import JobTransport

/// Asks the broker now and then about the queues of departments in which something has been waiting: for releases that
/// may be lost, and for queues that are down. Beside the timekeeper, because the answers may be long in coming.
struct QueueWatch {
  let bookkeeper: Bookkeeper
  let connection: Connection
  /// After how long without a sign a release may be lost.
  let lease: Duration

  /// How often it looks whether something is to be asked.
  static let turn: Duration = .seconds(1)
  /// How often it asks whether queues are down.
  static let interval: Duration = .seconds(10)
  /// How many questions may be without an answer at once. The broker answers one after the other, and what is acked on the
  /// same connection waits for them.
  static let questionLimit = 8

  func run() async throws {
    var (down, lost) = (Recurrence(every: QueueWatch.interval), Recurrence(every: lease))
    for await _ in AsyncTimerSequence(interval: QueueWatch.turn, clock: .continuous) {
      let now = SessionClock.now
      if down.isDue(at: now) { try await lookForDown() }
      if lost.isDue(at: now) { try await lookForLost() }
    }
  }

  /// A queue that is down is noticed when something is published to it. Where everything is released already, nothing is:
  /// a queue in which something has been waiting is asked for.
  private func lookForDown() async throws {
    _ = try await emptyQueues(of: bookkeeper.suspectDepartments(olderThan: QueueWatch.interval))
  }

  /// A department whose queue is empty cannot have what was released there a lease ago and no worker has named since.
  private func lookForLost() async throws {
    let empty = try await emptyQueues(of: bookkeeper.suspectDepartments(olderThan: lease))
    try await bookkeeper.lookForLost(in: empty, olderThan: lease)
  }

  /// Those of the departments in whose queue no message waits.
  private func emptyQueues(of departments: Set<Department>) async throws -> Set<Department> {
    try await withThrowingTaskGroup(of: Department?.self) { group in
      var answers: [Department?] = []
      for (index, department) in departments.enumerated() {
        if index >= QueueWatch.questionLimit, let answer = try await group.next() { answers.append(answer) }
        group.addTask { try await messages(of: department, UInt64(index)) == 0 ? department : nil }
      }
      for try await answer in group { answers.append(answer) }
      return Set(answers.compactMap(\.self))
    }
  }

  /// How many messages wait in a department's queue.
  private func messages(of department: Department, _ turn: UInt64) async throws -> Int {
    bookkeeper.board.begin(HealthPart.queues, turn: turn)
    defer { bookkeeper.board.end(HealthPart.queues, turn: turn) }
    let began = SessionClock.now
    do {
      return try await connection.declare(Topology.departmentQueue(department)).messageCount
    } catch {
      if error.mayMeanQueueIsDown { await bookkeeper.suspectDownQueues(since: began) }
      throw error
    }
  }
}
