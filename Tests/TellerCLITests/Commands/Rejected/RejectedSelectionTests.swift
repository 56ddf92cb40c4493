import JobModel
import Testing

@testable import AMQP
@testable import JobTransport
@testable import TellerCLI

@Suite("Rejected messages for people")
struct RejectedSelectionTests {
  private func message(_ id: String, body: [UInt8] = [], tag: UInt64 = 1) -> RejectedMessage {
    var message = RejectedMessage(
      Delivery(
        consumerTag: "test", deliveryTag: tag, isRedelivered: false, exchange: "", routingKey: "",
        properties: MessageProperties(), body: .bytes(body)))
    message.id = id
    return message
  }

  private func chosen(_ ids: [String], of all: [RejectedMessage]) throws -> [String] {
    try RejectedSelection.messages(ids.compactMap { RejectedID(argument: $0) }, of: all).map(\.id)
  }

  private func failure(_ ids: [String], of all: [RejectedMessage]) -> Failure? {
    do {
      _ = try chosen(ids, of: all)
      return nil
    } catch {
      return error as? Failure
    }
  }

  @Test("are chosen by the beginning of an id, in the order of the queue; equal ones together")
  func beginning() throws {
    let all = [message("aaaa1"), message("bbbb2"), message("aaaa1", tag: 2)]
    #expect(try chosen(["BBBB", "aaaa1"], of: all) == ["aaaa1", "bbbb2", "aaaa1"])
    #expect(failure(["cccc"], of: all)?.status == .unknownJob)
  }

  @Test("are not chosen by the beginning of several ids: the error names these, a few of them")
  func ambiguous() throws {
    let few = try #require(failure(["aaaa"], of: [message("aaaa1"), message("aaaa2"), message("bbbb")]))
    #expect(few.status == .usage && few.message?.contains("aaaa1, aaaa2; write more") == true, "\(few)")
    let many = try #require(failure(["aaaa"], of: (1...7).map { message("aaaa\($0)") }))
    #expect(many.message?.contains("aaaa5 and 2 more;") == true, "\(many)")
  }

  @Test("that differ and have one id are not chosen by it")
  func forged() throws {
    let all = [message("aaaa1"), message("aaaa1", body: [1]), message("bbbb2")]
    let refused = try #require(failure(["aaaa1"], of: all))
    #expect(refused.message?.contains("different messages have the id aaaa1") == true, "\(refused)")
    #expect(try chosen(["bbbb2"], of: all) == ["bbbb2"])
  }

  @Test("have ids in a table that are long enough to tell them apart, and whole ones in a pipe")
  func table() {
    let long = "0123456789abcdef"
    #expect(RejectedText.shortest([long, "f" + long]) == 10)
    #expect(RejectedText.shortest([long, "0123456789ab0000", long]) == 13)
    #expect(RejectedText.shortest([]) == 10)
    let now = Timestamp(milliseconds: 0)
    #expect(RejectedText.table([message(long)], shortens: true, now: now).rows[0][0] == "0123456789")
    #expect(RejectedText.table([message(long)], shortens: false, now: now).rows[0][0] == long)
  }

  @Test("are counted before the question, with those that stay")
  func counts() throws {
    #expect(RejectedCount(messages: 0).line == "teller.rejected has no messages")
    #expect(RejectedCount(messages: 1).question(.drop) == "Drop all 1 message of teller.rejected?")
    let some = RejectedCount(messages: 3, left: 1)
    #expect(some.question(.putBack) == "Put back 2 of the 3 messages of teller.rejected? The rest stays.")
    #expect(try PrintedJSON.text(some) == #"{"left":1,"messages":3}"#)
  }

  @Test(
    "that were not put back because the broker was lost: the error says how many, and the code is that of the broker")
  func stopped() throws {
    let stopped = PutBackStopped(cause: .connectionLost(reason: "reset"), putBack: 256, left: 44, unsure: 44)
    let failure = try #require(Failure(ofRejected: stopped))
    #expect(failure.status == .brokerUnavailable)
    #expect(
      failure.message?.contains("256 put back, 44 left in teller.rejected; up to 44 may be") == true, "\(failure)")
  }
}
