import AMQP
import AsyncAlgorithms
import Bookkeeping
import Decisions
import JobModel
import JobTransport

/// Asks the broker now and then about the queues of departments in which something has been waiting: for releases that
/// may be lost, and for queues that are down. Beside the timekeeper, because the answers may be long in coming.
struct QueueWatch {
  let bookkeeper: Bookkeeper
  let connection: Connection

  /// How often it looks whether something is to be asked.
  static let turn: Duration = .seconds(1)
  /// How often it asks whether queues are down.
  static let interval: Duration = .seconds(10)
  /// How many questions may be without an answer at once. The broker answers one after the other, and what is acked on
  /// the same connection waits for them.
  static let questionLimit = 8

  func run() async throws {
    var (down, lost) = (Recurrence(every: QueueWatch.interval), Recurrence(every: await bookkeeper.configuration.lease))
    var looks = TwoLooks()
    for await _ in AsyncTimerSequence(interval: QueueWatch.turn, clock: .continuous) {
      let now = SessionClock.now
      if down.isDue(at: now) { try await lookForDown() }
      // After a lease without a sign a release may be lost.
      lost.interval = await bookkeeper.configuration.lease
      if looks.isHalfway || lost.isDue(at: now) { try await lookForLost(olderThan: lost.interval, &looks) }
    }
  }

  /// A queue that is down is noticed when something is published to it. Where everything is released already, nothing
  /// is: a queue in which something has been waiting is asked for.
  private func lookForDown() async throws {
    _ = try await empty(bookkeeper.suspectQueues(olderThan: QueueWatch.interval))
  }

  /// A queue that is empty cannot have what was released to it a lease ago and no worker has named since. The second look
  /// comes a ``turn`` after the first.
  private func lookForLost(olderThan lease: Duration, _ looks: inout TwoLooks) async throws {
    let queues = looks.queues(of: await bookkeeper.suspectQueues(olderThan: lease))
    guard let empty = looks.looked(try await empty(queues)) else { return }
    try await bookkeeper.lookForLost(in: empty, olderThan: lease)
  }

  /// The queues in which no message waits.
  private func empty(_ queues: Set<JobQueue>) async throws -> Set<JobQueue> {
    try await withThrowingTaskGroup(of: JobQueue?.self) { group in
      var answers: [JobQueue?] = []
      for (index, queue) in queues.enumerated() {
        if index >= QueueWatch.questionLimit, let answer = try await group.next() { answers.append(answer) }
        group.addTask { try await messages(in: queue, UInt64(index)) == 0 ? queue : nil }
      }
      for try await answer in group { answers.append(answer) }
      return Set(answers.compactMap(\.self))
    }
  }

  /// How many messages wait in a queue.
  private func messages(in queue: JobQueue, _ turn: UInt64) async throws -> Int {
    bookkeeper.board.begin(HealthPart.queues, turn: turn)
    defer { bookkeeper.board.end(HealthPart.queues, turn: turn) }
    let began = SessionClock.now
    do {
      return try await connection.declare(Topology.queue(queue)).messageCount
    } catch {
      if error.mayMeanQueueIsDown { await bookkeeper.suspectDownQueues(since: began) }
      throw error
    }
  }
}
