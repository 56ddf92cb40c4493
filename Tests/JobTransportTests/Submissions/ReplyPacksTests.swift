import AMQP
import JobModel
import TestSupport
import Testing

@testable import JobTransport

@Suite("Packs of replies")
struct ReplyPacksTests {
  private let packed = ReplyPacks.queuePrefix + "x"

  private func replies(_ count: Int, _ random: inout SeededRandom) -> [Reply] {
    (0..<count).map { _ in
      let contents: [Reply.Content] = [.accepted, .duplicate, .rejected(random.failure()), .outcome(random.outcome())]
      let content = contents[Int.random(in: 0..<contents.count, using: &random)]
      return Reply(
        job: random.maybe { $0.text() }, correlationID: random.maybe { $0.text() }, content: content,
        decided: random.decided(with: content))
    }
  }

  @Test("replies come through their packs unchanged and in order")
  func roundTrip() throws {
    var random = SeededRandom(for: "packs of replies")
    for _ in 0..<200 {
      let replies = replies(Int.random(in: 1...150, using: &random), &random)
      let messages = ReplyPacks.encode(replies, to: packed)
      #expect(messages.flatMap { ReplyPacks.decode(Deliveries.of($0)).replies } == replies)
      #expect(messages.count >= replies.count / ReplyPacks.countLimit)
    }
  }

  @Test("a pack is full by its number, or by its bytes")
  func limits() {
    let small = Reply(job: "j", correlationID: nil, content: .accepted)
    let result = [UInt8](repeating: 1, count: ReplyPacks.byteLimit)
    let large = Reply(job: "j", correlationID: nil, content: .outcome(.succeeded(result: result, contentType: nil)))
    let many = Array(repeating: small, count: ReplyPacks.countLimit + 1)
    #expect(ReplyPacks.encode(many, to: packed).count == 2)
    #expect(ReplyPacks.encode([small, large, small], to: packed).count == 2)
  }

  @Test("a reply alone, and replies to any other queue, have messages of their own")
  func singles() {
    let reply = Reply(job: "j", correlationID: "c", content: .accepted)
    #expect(ReplyPacks.encode([reply], to: packed).map(\.properties.type) == ["accepted"])
    for queue in ["teller.reply.x", "amq.rabbitmq.reply-to.y"] {
      #expect(ReplyPacks.encode([reply, reply], to: queue).map(\.properties.type) == ["accepted", "accepted"])
    }
  }

  @Test(
    "a pack that is damaged is unreadable, whatever is wrong with it",
    arguments: [
      "accepted", "accepted - - -\n", "accepted - - - 0", "accepted 5 - - 0\nabc", "accepted - - - 9\n",
      "accepted -1 - - 0\n", "accepted - - x 0\n", "accepted - - - 99999999999999999999\n", "none - - - 0\n",
      "failed - - - 2\n{}", "accepted  - - - 0\n", "\n", "accepted - - - 0\n\n",
    ])
  func damaged(body: String) throws {
    let properties = MessageProperties(contentType: ReplyPacks.contentType)
    let message = TransientPublishing(exchange: "", routingKey: packed, properties: properties, body: Array(body.utf8))
    #expect(ReplyPacks.decode(Deliveries.of(message)).problem != nil)
  }

  @Test("a reply of a type that is not known, and a line that cannot be read, cost no other reply of their pack")
  func partlyDamaged() {
    let good = Array("accepted 1 - - 0\na".utf8)
    let properties = MessageProperties(contentType: ReplyPacks.contentType)
    let cases: [(bad: [UInt8], jobs: [String])] = [
      (Array("later 1 - - 2\nb{}".utf8), ["a", "a"]), (Array("failed 1 - - 1\nb{".utf8), ["a", "a"]),
      (Array("accepted 1 - - 0\n".utf8) + [0xFF], ["a", "a"]), (Array("accepted x - - 0\n".utf8), ["a"]),
    ]
    for (bad, jobs) in cases {
      let (replies, problem) = ReplyPacks.decode(Deliveries.make(properties, .bytes(good + bad + good)))
      #expect(replies.map(\.job) == jobs && problem != nil)
    }
  }
}
