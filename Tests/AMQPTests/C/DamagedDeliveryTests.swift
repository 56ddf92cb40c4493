import SystemSupport
import TestSupport
import Testing

@testable import AMQP

/// A real broker behind a line that damages a byte of a delivery: there is no checksum in AMQP, and that of TCP is short.
@Suite("A delivery that is damaged on its way", .enabled(if: !Broker.usesTLS), .timeLimit(.minutes(5)))
struct DamagedDeliveryTests {
  /// What a delivery's frame has before the consumer's tag, in bytes: 7 of the frame, 4 of the method, 1 for the tag's
  /// length (AMQP 0-9-1, 2.3.5 and 4.2.5.3).
  private static let beforeConsumerTag = 12
  /// So long that the bit which the line flips, by its distance, is that of the fourth delivery's number.
  private static let consumerTag = "taker-7"

  @Test(
    "ends the connection, so that it is delivered again: one of no consumer, and one with an earlier number",
    arguments: [
      (beforeConsumerTag, "names a consumer"),
      (beforeConsumerTag + consumerTag.utf8.count + 7, "came behind a later one"),
    ])
  func ends(distance: Int, reason: String) async throws {
    var url = try BrokerURL(try await BrokerNode.shared.makeVirtualHost())
    let other = try await Broker(url: url).connect("other")
    let line = try TCPProxy(to: url.port)
    url.port = line.port
    let connection = try await Broker(url: url).connect()
    try await connection.declare(QueueDeclaration("q"))
    let options = ConsumeOptions(prefetch: 10, consumerTag: Self.consumerTag)
    let consumer = try await connection.consume("q", options: options)
    for text in ["a", "b", "c"] { try await other.put(text, into: "q") }
    #expect(try await take(3, from: consumer).map(\.deliveryTag) == [1, 2, 3])
    line.flip(after: distance, .toClient)
    try await other.put("d", into: "q")
    let event = try await firstEvent(of: connection, named: "the end") { _ in true }
    guard case .closed(let error?) = event else {
      Issue.record("not lost: \(String(describing: event))")
      return
    }
    #expect(error.isTransient && error.description.contains(reason), "\(error)")
    try await eventually("all are the broker's again", within: patience) { try await other.count(of: "q") == 4 }
    line.close()
    await other.close()
  }
}
