import AMQP
import Foundation
import JobModel
import JobTransport
import TestSupport
import Testing

/// What workers and the coordinator should not send each other.
@Suite struct MalformedControlTests {
  private static let job = "01890a5d-ac96-774b-bcce-b302099a8057"

  @Test(
    "claims without a worker, a ledger or a claim, or with negative numbers are unreadable",
    arguments: [
      #"{"worker":"w","ledger":"l","claims":[]}"#, #"{"worker":"w","ledger":"l"}"#, #"{"worker":"w","claims":[]}"#,
      #"{"worker":"a.b","ledger":"l","claims":[{"job":"\#(job)","release":1,"claim":1}]}"#,
      #"{"worker":"w","ledger":"","claims":[{"job":"\#(job)","release":1,"claim":1}]}"#,
      #"{"worker":"w","ledger":"l","claims":[{"job":"\#(job)","release":-1,"claim":1}]}"#,
      #"{"worker":"w","ledger":"l","claims":[{"job":"\#(job)","release":1,"claim":-1}]}"#,
      #"{"worker":"w","ledger":"l","claims":[{"job":"\#(job)","release":9223372036854775807,"claim":1}]}"#,
      #"{"worker":"w","ledger":"l","claims":[{"job":"x","release":1,"claim":1}]}"#,
      #"{"worker":"w","ledger":"l","claims":[{"job":"\#(job)","release":1.5,"claim":1}]}"#,
    ])
  func claims(body: String) {
    guard case .flawed? = ReportCodec.decode(Deliveries.json("claims", body)).first else {
      Issue.record("\(body) was understood")
      return
    }
  }

  @Test("a message with more claims than one may have is unreadable")
  func tooManyClaims() {
    let claim = #"{"job":"\#(Self.job)","release":1,"claim":1}"#
    for (count, isUnderstood) in [(ClaimRequest.batchLimit, true), (ClaimRequest.batchLimit + 1, false)] {
      let list = Array(repeating: claim, count: count).joined(separator: ",")
      let delivery = Deliveries.json("claims", #"{"worker":"w","ledger":"l","claims":[\#(list)]}"#)
      if case .claims? = ReportCodec.decode(delivery).first {
        #expect(isUnderstood)
      } else {
        #expect(!isUnderstood)
      }
    }
  }

  @Test("how far runs have come is read within its limits, whatever a worker says")
  func progress() throws {
    let run = #"{"job":"\#(Self.job)","release":3,"token":4,"fraction":1}"#
    let wrong = [
      "[\(run.replacing(":3", with: ":-1"))]", "[\(run.replacing("1}", with: "\"half\"}"))]", "{}", "", "[1]",
      "[" + repeatElement(run, count: WorkerProgress.runLimit + 1).joined(separator: ",") + "]",
      "[\(run)]" + String(repeating: " ", count: PresenceCodec.progressBytes),
    ]
    for body in wrong {
      guard case .flawed = PresenceCodec.decode(progress(body)) else {
        Issue.record("\(body.prefix(100)) was understood")
        continue
      }
    }
    guard case .flawed = PresenceCodec.decode(progress("[\(run)]", from: "no id")) else {
      Issue.record("a worker that is none was understood")
      return
    }
    let far = run.replacing("1}", with: #"7,"text":"\#(String(repeating: "x", count: 1_000))"}"#)
    guard case .progress(let read) = PresenceCodec.decode(progress("[\(far)]")) else {
      Issue.record("a fraction beyond the limits was not understood")
      return
    }
    #expect(read.runs.map(\.progress) == [RunProgress(1, String(repeating: "x", count: RunProgress.longestText))])
  }

  private func progress(_ body: String, from worker: String = "w") -> Delivery {
    Deliveries.make(MessageProperties(type: "progress", appID: worker), .bytes(Array(body.utf8)))
  }

  @Test(
    "a release or a token that is no number of a ledger makes its message unreadable",
    arguments: [-1, 9_223_372_036_854_775_807, 34_359_738_369])
  func numbers(number: Int) {
    for (release, token) in [(number, 1), (1, number)] {
      let presence =
        #"{"worker":"w","session":1,"name":"n","tellers":{"init":2},"probe":0,"goodbye":false,"running":"#
        + #"[{"job":"\#(Self.job)","release":\#(release),"token":\#(token)}]}"#
      let started =
        #"{"worker":"w","job":"\#(Self.job)","release":\#(release),"token":\#(token),"kind":"k","#
        + #""department":"init","attempt":1}"#
      for (type, body) in [("presence", presence), ("started", started)] {
        guard case .flawed = PresenceCodec.decode(Deliveries.json(type, body)) else {
          Issue.record("\(type) \(body) was understood")
          continue
        }
      }
    }
    var random = SeededRandom(for: "numbers of no ledger")
    var (dropped, adoption) = (random.unstarted(), random.adoption())
    (dropped.release.number, adoption.token) = (number, number)
    for message in [ReportCodec.encode(dropped: dropped), ReportCodec.encode(adoption)] {
      guard case .flawed? = ReportCodec.decode(Deliveries.of(message)).first else {
        Issue.record("\(message) was understood")
        continue
      }
    }
  }

  @Test("a dropped release or an adoption without one of its headers is unreadable, and says which")
  func headers() {
    var random = SeededRandom(for: "dropped and adopt without a header")
    for message in [ReportCodec.encode(dropped: random.unstarted()), ReportCodec.encode(random.adoption())] {
      for name in message.properties.headers.keys {
        var broken = message
        broken.properties.headers[name] = nil
        #expect(flaw(of: broken) == "header \(name) is missing")
      }
      var nameless = message
      nameless.properties.messageID = nil
      #expect(flaw(of: nameless) == "message_id is missing")
    }
  }

  private func flaw(of message: Publishing) -> String? {
    guard case .flawed(let flawed)? = ReportCodec.decode(Deliveries.of(message)).first else { return nil }
    #expect(flawed.type == message.properties.type)
    // Its worker is answered, if it says whose it is.
    #expect((flawed.worker == nil) == (message.properties.headers["teller-worker"] == nil))
    return flawed.reason
  }

  @Test("one wrong claim does not take the others with it, and its worker is answered")
  func claimBesideOthers() throws {
    let good = #"{"job":"\#(Self.job)","release":1,"claim":1}"#
    for wrong in [
      #"{"job":"x","release":1,"claim":1}"#, good.replacing("claim\":1", with: "claim\":-1"), "7", "null", "{}",
    ] {
      let body = #"{"worker":"w","ledger":"l","claims":[\#(good),\#(wrong),\#(good)]}"#
      let read = ReportCodec.decode(Deliveries.json("claims", body))
      guard read.count == 2, case .claims(let claims) = read[0], case .flawed(let flawed) = read[1] else {
        Issue.record("\(wrong): \(read)")
        continue
      }
      #expect(claims.count == 2 && flawed.worker == WorkerID("w") && flawed.type == "claims", "\(wrong)")
    }
  }

  @Test(
    "a control message that is not what it should be is unreadable",
    arguments: [
      ("answers", "{}"), ("answers", #"{"answers":[{"job":"\#(job)","release":1,"claim":1,"verdict":"run"}]}"#),
      ("answers", #"{"answers":[{"job":"\#(job)","release":1,"claim":1,"verdict":"maybe"}]}"#),
      ("answers", #"{"answers":[{"job":"\#(job)","release":1,"verdict":"drop"}]}"#),
      ("staffing", "{}"), ("staffing", #"{"tellers":{"init":-1},"paused":[]}"#),
      ("staffing", #"{"tellers":{"init":65536},"paused":[]}"#), ("staffing", #"{"tellers":{},"paused":"init"}"#),
      ("staffing", #"{"tellers":{},"paused":[],"ahead":{"init":-1}}"#),
      ("staffing", #"{"tellers":{},"paused":[],"ahead":{"init":65536}}"#),
      ("staffing", #"{"tellers":{},"paused":[],"ahead":4}"#), ("void", #"{"void":[]}"#),
      ("void", #"{"void":[{"job":"\#(job)"}],"forgotten":[]}"#),
      ("void", #"{"void":[{"job":"x","release":1}],"forgotten":[]}"#),
      ("recorded", "{}"), ("adopted", "{}"), ("adopted", #"{"releases":["\#(job)"]}"#),
      ("welcome", #"{"ledger":"l","session":1,"departments":[],"unknown":[],"staffing":{}}"#),
      ("welcome", #"{"ledger":"l","departments":[],"unknown":[]}"#),
      ("welcome", #"{"ledger":"l","session":1,"departments":[],"unknown":[]}"#),
    ])
  func control(type: String, body: String) {
    guard case .unreadable = ControlCodec.decode(Deliveries.json(type, body)) else {
      Issue.record("\(type) \(body) was understood")
      return
    }
  }

  @Test(
    "control characters of a peer do not reach the reason as they are, wherever in the JSON they stand",
    arguments: [
      ("staffing", #"{"tellers":{"a\nINFO all is well":"x"},"paused":[]}"#),
      ("staffing", #"{"tellers":{},"paused":[],"beside":{"init":{"a\nINFO all is well":1}}}"#),
      ("answers", #"{"answers":[{"job":"\#(job)","release":1,"claim":1,"verdict":"a\nINFO all is well"}]}"#),
    ])
  func controlCharacters(type: String, body: String) {
    guard case .unreadable(let reason) = ControlCodec.decode(Deliveries.json(type, body)) else {
      Issue.record("\(type) \(body) was understood")
      return
    }
    #expect(reason.contains("INFO") && !reason.contains(where: \.isNewline))
  }

  @Test("an assignment whose time limit is none is unreadable")
  func assignment() {
    var random = SeededRandom(for: "assignments with bad limits")
    let message = AssignmentCodec.encode(random.assignment())
    for value in [0, -1, "x", .int(.max), [1]] as [FieldValue] {
      var broken = message
      broken.properties.headers["teller-timeout-ms"] = value
      #expect(throws: Unreadable.self) { try AssignmentCodec.decode(Deliveries.of(broken)) }
    }
  }

  @Test(
    "a presence whose jobs ahead or stuck tellers are not what they should be is unreadable",
    arguments: [
      #""stuck":{"init":-1}"#, #""stuck":{"init":65536}"#, #""stuck":1"#, #""stuck":{"init":-9223372036854775808}"#,
      #""stuck":{"init":true}"#, #""stuck":["init"]"#,
      #""ahead":{"init":-1}"#, #""ahead":{"init":65536}"#, #""ahead":1"#, #""waiting":{}"#,
      #""waiting":[{"job":"\#(job)","release":1}]"#, #""waiting":[{"job":"\#(job)","release":-1,"token":2}]"#,
      #""waiting":[{"job":"\#(job)","release":1,"token":34342961153}]"#,
      #""waiting":[{"job":"\#(job)","release":1,"token":2,"claims":"no"}]"#,
    ])
  func presence(member: String) {
    let body =
      #"{"worker":"w","session":1,"name":"n","tellers":{"init":2},"probe":0,"goodbye":false,"running":[],\#(member)}"#
    guard case .flawed = PresenceCodec.decode(Deliveries.json("presence", body)) else {
      Issue.record("\(member) was understood")
      return
    }
  }

  @Test("a presence with only what a worker has to say is understood")
  func shortestPresence() throws {
    let presence =
      #"{"worker":"w","session":1,"name":"n","tellers":{"init":2},"probe":0,"goodbye":false,"running":"#
      + #"[{"job":"\#(Self.job)","release":1,"token":2}]}"#
    let release = ReleaseID(job: try #require(JobID(Self.job)), number: 1)
    #expect(
      PresenceCodec.decode(Deliveries.json("presence", presence))
        == .presence(
          Presence(
            worker: WorkerID("w"), session: 1, name: "n", tellers: ["init": 2], ledger: nil, probe: 0,
            running: [RunningRelease(release: release, token: 2)])))
  }

  @Test(
    "a command that cannot be understood is refused with what is wrong",
    arguments: [
      ("dance", "{}", "unknown_request"), (nil, "{}", "unknown_request"), ("status", "{}", "unknown_request"),
      ("cancel", "[]", "bad_request"), ("cancel", "{}", "bad_request"), ("cancel", #"{"all":false}"#, "bad_request"),
      ("cancel", #"{"jobs":[]}"#, "bad_request"), ("cancel", #"{"jobs":["x"]}"#, "bad_request"),
      ("cancel", #"{"jobs":["\#(job)","\#(job)"]}"#, "bad_request"),
      ("cancel", #"{"jobs":["\#(job)"],"all":true}"#, "bad_request"), ("cancel", #"{"kinds":"k"}"#, "bad_request"),
      ("replay", "{}", "bad_request"), ("drop", #"{"department":"a.b"}"#, "bad_request"),
      ("accept_restored", "{}", "bad_request"), ("accept_restored", #"{"jobs":["\#(job)"]}"#, "bad_request"),
      ("drop_restored", #"{"all":false}"#, "bad_request"), ("drop_restored", #"{"kind":""}"#, "bad_request"),
      ("reset", "", "bad_request"), ("reset", #"{"department":"init"}"#, "bad_request"),
      ("pause", "{}", "bad_request"), ("resume", #"{"department":""}"#, "bad_request"),
      ("resize", #"{"department":"init","tellers":-1}"#, "bad_request"),
      ("resize", #"{"department":"init","tellers":65536}"#, "bad_request"),
      ("resize", #"{"tellers":1}"#, "bad_request"), ("drain", "{}", "bad_request"),
      ("drain", #"{"worker":7}"#, "bad_request"), ("drain", #"{"worker":"w","department":"init"}"#, "bad_request"),
      ("rerank", #"{"job":"\#(job)"}"#, "bad_request"), ("rerank", #"{"job":"\#(job)","priority":10}"#, "bad_request"),
      ("rerank", #"{"job":"\#(job)","rank":0}"#, "bad_request"),
      ("rerank", #"{"job":"\#(job)","rank":1,"priority":1}"#, "bad_request"),
      ("free_key", #"{"kind":"k"}"#, "bad_request"), ("free_key", #"{"kind":"k","key":""}"#, "bad_request"),
      ("reset_keys", #"{"kind":"k"}"#, "bad_request"), ("reset_keys", #"{"key":"a"}"#, "bad_request"),
      ("reset_keys", #"{"kind":"k","key":""}"#, "bad_request"), ("reset_keys", #"{"all":true}"#, "bad_request"),
      ("reset_keys", #"{"kind":"k","key":"a","all":true}"#, "bad_request"),
      ("reset_keys", #"{"kind":"k","all":false}"#, "bad_request"),
      ("payload", "{}", "bad_request"), ("payload", #"{"id":"x"}"#, "bad_request"),
    ])
  func commands(type: String?, body: String, code: String) {
    let decoded = AdminCodec.decode(Deliveries.json(type, body, replyTo: "teller.reply.x"))
    guard case .refused(let failure, let address) = decoded else {
      Issue.record("\(decoded)")
      return
    }
    #expect(failure.code == code)
    #expect(address.replyTo == "teller.reply.x")
  }

  @Test("a command is known by its message_id, which must be a UUID where there is one")
  func commandID() throws {
    var delivery = Deliveries.json("reset", "{}", replyTo: "teller.reply.x")
    #expect(AdminCodec.command(of: delivery) == nil)
    delivery.properties.messageID = "7"
    guard case .refused(let failure, _) = AdminCodec.decode(delivery) else {
      Issue.record("a command that would not be known again is obeyed")
      return
    }
    #expect(failure.code == "bad_request" && failure.message.contains("message_id"))
    let id = UUID()
    let address = AnswerAddress(replyTo: "teller.reply.x", correlationID: "1")
    let message = AdminCodec.encode(.reset, address: address, expiration: .seconds(1), command: id)
    #expect(AdminCodec.command(of: Deliveries.of(message)) == id)
    #expect(AdminCodec.decode(Deliveries.of(message)) == .asked(.reset, address))
  }

  @Test("a command that does not say where to answer, or a place that is not allowed, is not obeyed")
  func unanswerable() {
    for replyTo in [nil, "", "teller.submissions"] {
      guard case .unanswerable = AdminCodec.decode(Deliveries.json("reset", "{}", replyTo: replyTo)) else {
        Issue.record("\(replyTo ?? "nobody") would be answered")
        continue
      }
    }
  }
}
