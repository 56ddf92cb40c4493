import AMQP
import AsyncAlgorithms
import Bookkeeping
import Decisions
import JobModel
import JobTransport
import Logging

/// Takes back what the broker took off the queues of submissions and reports, as if it came in its queue: accepts, records,
/// answers and refuses it the same way. Nothing is published again, so nothing goes round in a circle.
///
/// On a connection of its own: a stream that does not answer keeps nobody else waiting.
struct DeadLetterReader {
  let intake: Intake
  let recorder: Recorder
  let connections: BrokerConnections
  let logger: Logger
  /// Closed once what was there at the beginning is recorded, or cannot be read at present; fired by each batch of it.
  private let caughtUp = Signal()

  /// How long what is in the other queues waits for the next batch of dead letters.
  private static let patience: Duration = .seconds(10)
  /// How long it waits before it tries again where the broker does not let it read.
  static let pause: Duration = .seconds(10)
  /// The name of what health says about it.
  private static let check = "dead_letter_reader"
  private static let prefetch: UInt16 = 64
  private static let batchLimit = 64

  /// Waits until what was there at the beginning is recorded, or until nothing more of it comes. Before that no fence may come
  /// back: it says that all earlier reports are recorded.
  func catchUp() async {
    while await caughtUp.wait(atMost: DeadLetterReader.patience) {}
  }

  func run() async throws {
    repeat {
      let error = try await readUntilLost()
      try Task.checkCancellation()
      caughtUp.close()
      let text = "dead letters cannot be read, and are not taken back until they can"
      recorder.bookkeeper.board.warn(DeadLetterReader.check, "\(text): \(error.cause)")
      logger.warning("\(text)", metadata: ["reason": "\(error.cause)"])
      for await _ in AsyncTimerSequence(interval: DeadLetterReader.pause, clock: .continuous) { break }
    } while true
  }

  /// Returns what ended its connection.
  private func readUntilLost() async throws -> AMQPError {
    var opened: Connection?
    do {
      let connection = try await connections.openForTrial()
      opened = connection
      try await read(on: recorder.bookkeeper, connection)
      await connection.close()
      return .connectionLost(reason: "the broker ended a consumer")
    } catch let error as AMQPError where error != .ledgerIsBehind {
      await opened?.close()
      return error
    } catch {
      await opened?.close()
      throw error
    }
  }

  /// On the bookkeeper's thread, as the intake is.
  private func read(on bookkeeper: isolated Bookkeeper, _ connection: Connection) async throws {
    let stream = DeadLetterStream(on: connection)
    let position = try await stream.position()
    let inbox = DeliveryInbox()
    let tag = try await stream.consume(from: position.next, into: inbox)
    _ = try await connection.consume(
      Topology.Queue.dropped, options: ConsumeOptions(prefetch: DeadLetterReader.prefetch), into: inbox)
    bookkeeper.board.warn(DeadLetterReader.check, nil)
    var copies = RecentSet<[UInt8]>()
    while let batch = await inbox.nextBatch(atMost: DeadLetterReader.batchLimit, bytes: Intake.batchBytes) {
      let letters = batch.compactMap(DeadLetter.init).filter { copies.insert($0.digest) }
      bookkeeper.noteDeadLetters(letters.map(\.cause))
      try await recorder.record(letters.filter { $0.contents == .reports }.map(\.message), on: bookkeeper) { _ in }
      try await intake.record(letters.filter { $0.contents == .submissions }.map(\.message), on: bookkeeper)
      try await connection.ack(contentsOf: batch.map(\.deliveryTag))
      let read = batch.filter { $0.consumerTag == tag }
      if !letters.isEmpty, let last = read.last.flatMap(DeadLetterStream.offset) {
        try await stream.markRead(before: last + 1)
      }
      if read.contains(where: { $0.properties.messageID == position.end }) { caughtUp.close() } else { caughtUp.fire() }
    }
  }
}
