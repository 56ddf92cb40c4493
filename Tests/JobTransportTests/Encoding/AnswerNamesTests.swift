import AMQP
import JobModel
import Testing

@testable import JobTransport

/// What the coordinator sends, letter by letter as it is documented: see ``WireNamesTests``.
@Suite struct AnswerNamesTests {
  private static let id = JobID("01890a5d-ac96-774b-bcce-b302099a8057") ?? JobID()

  private func text(_ body: [UInt8]) -> String { String(decoding: body, as: UTF8.self) }

  @Test("a reply goes straight to its queue with the documented types, and expires")
  func replies() {
    let failure = JobFailure(code: "c", message: "m")
    let contents: [(Reply.Content, String, String)] = [
      (.accepted, "accepted", ""), (.duplicate, "duplicate", ""),
      (.rejected(failure), "rejected", #"{"error":"c","message":"m"}"#),
      (.outcome(.succeeded(result: Array("r".utf8), contentType: "a/b")), "succeeded", "r"),
      (.outcome(.failed(failure)), "failed", #"{"error":"c","message":"m"}"#),
      (.outcome(.cancelled(failure)), "cancelled", #"{"error":"c","message":"m"}"#),
    ]
    for (content, type, body) in contents {
      let message = ReplyCodec.encode(Reply(job: "j", correlationID: "c", content: content), to: "teller.reply.x")
      #expect(message.exchange == "" && message.routingKey == "teller.reply.x")
      #expect(message.properties.type == type && message.properties.correlationID == "c")
      #expect(message.properties.headers == ["teller-job": "j"] && message.properties.expiration == "60000")
      #expect(text(message.body) == body)
    }
  }

  @Test("what was decided about a duplicate, and about a new job that ended at once, is the documented JSON")
  func decided() {
    let failure = JobFailure(code: "too_late", message: "m")
    let replies: [(Reply.Content, DecidedPart, String)] = [
      (.accepted, DecidedPart(), ""),
      (
        .accepted, DecidedPart(state: .failed, failure: failure),
        #"{"error":"too_late","message":"m","state":"failed"}"#
      ),
      (.accepted, DecidedPart(replaces: Self.id), #"{"replaces":"\#(Self.id)"}"#),
      (.duplicate, DecidedPart(state: .queued, isSameContent: false), #"{"content":"different","state":"queued"}"#),
      (
        .duplicate, DecidedPart(state: .succeeded, isSameContent: true, isAgain: true),
        #"{"again":true,"content":"same","state":"succeeded"}"#
      ),
    ]
    for (content, decided, body) in replies {
      let reply = Reply(job: "j", correlationID: "c", content: content, decided: decided)
      let message = ReplyCodec.encode(reply, to: "teller.reply.x")
      #expect(text(message.body) == body)
      #expect(message.properties.contentType == (body.isEmpty ? nil : "application/json"))
    }
  }

  @Test("a message of the notification stream is the documented JSON array with its headers")
  func notifications() {
    let first = Notification(
      seq: 7, job: Self.id, kind: "deposit", department: "counter", event: "failed", attempt: 2,
      at: Timestamp(milliseconds: 1000), startedAgoMs: 5, runMs: 3, error: JobFailure(code: "c", message: "a \"b\""))
    let second = Notification(
      seq: 8, job: Self.id, kind: "deposit", department: "counter", event: "succeeded", attempt: 1,
      at: Timestamp(milliseconds: 1001))
    let message = NotificationCodec.encode(
      NotificationBatch(ledger: LedgerID("l"), epoch: 2, notifications: [first, second]))
    #expect(message.exchange == "teller.notifications" && message.routingKey == "log")
    #expect(
      message.properties.headers
        == ["teller-ledger": "l", "teller-epoch": 2, "teller-first": 7, "teller-last": 8])
    #expect(
      text(message.body)
        == #"[{"seq":7,"job":"01890a5d-ac96-774b-bcce-b302099a8057","kind":"deposit","department":"counter","#
        + #""event":"failed","attempt":2,"at":1000,"started_ago_ms":5,"run_ms":3,"error":{"error":"c","#
        + #""message":"a \"b\""}},{"seq":8,"job":"01890a5d-ac96-774b-bcce-b302099a8057","kind":"deposit","#
        + #""department":"counter","event":"succeeded","attempt":1,"at":1001}]"#)
    #expect(NotificationCodec.encode(live: [second]).routingKey == "live")
  }
}
