import AMQP
import AsyncAlgorithms
import JobModel
import JobTransport

/// Looks again at queues that the broker refuses, on a connection of its own, which a refusal ends.
extension WorkerLoop {
  /// How often the worker looks whether a refused queue is due.
  static let refusedInterval: Duration = .seconds(1)

  /// Looks at the refused queues, each in its time.
  func watchRefused(_ link: WorkerLink) async throws {
    for await _ in AsyncTimerSequence(interval: WorkerLoop.refusedInterval, clock: .continuous) {
      for queue in state.refusedQueuesDue(at: .now) { await lookAtRefused(queue, link) }
    }
  }

  private func lookAtRefused(_ queue: JobQueue, _ link: WorkerLink) async {
    do throws(AMQPError) {
      try await tryToConsume(queue, link)
      take(.accepted(queue))
    } catch {
      take(.stillRefused(queue))
    }
  }

  private func tryToConsume(_ queue: JobQueue, _ link: WorkerLink) async throws(AMQPError) {
    let connection = try await link.openForTrial()
    do throws(AMQPError) {
      _ = try await connection.consume(Topology.Queue.assignments(queue), options: ConsumeOptions(prefetch: 1))
      await connection.close()
    } catch {
      await connection.close()
      throw error
    }
  }
}
