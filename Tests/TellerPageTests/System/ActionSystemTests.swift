import Foundation
import JobModel
import Teller
import TellerTesting
import TestSupport
import Testing

@testable import TellerPage

@Suite("Actions of the page on a real broker", .timeLimit(.minutes(10)))
struct ActionSystemTests {
  @Test("a form is one command, however often it is sent")
  func once() async throws {
    try await Bank.open { bank in
      let form = JobID().description
      let first = try await bank.act("pause", #""department":"front""#, form: form)
      #expect(first.body == #"{"changed":true,"department":"front","paused":true}"#, "\(first)")
      #expect(try await bank.act("pause", #""department":"front""#, form: form).body == first.body)
      let second = try await bank.act("pause", #""department":"front""#)
      #expect(second.body == #"{"changed":false,"department":"front","paused":true}"#, "\(second)")
      let other = try await bank.act("pause", #""department":"init""#, form: form)
      #expect(other.status == 409, "\(other)")
      #expect(try await bank.act("resume", #""department":"front""#).object?["changed"] as? Bool == true)
      let unknown = try await bank.act("pause", #""department":"nowhere""#)
      #expect(unknown.status == 409 && unknown.code == "unknown_department", "\(unknown)")
    }
  }

  @Test("another process of the page gives the same form to the coordinator, and it is carried out once")
  func twoProcesses() async throws {
    try await Bank.open { bank in
      let form = JobID().description
      let first = try await bank.act("cancel", #""department":"front""#, form: form)
      let second = try await PageStage.serving(client: bank.system.client, source: nil) { browser in
        try await browser.post("/api/actions/cancel", #"{"form":"\#(form)","department":"front"}"#)
      }
      let number = try #require(first.object?["id"] as? Int, "\(first)")
      #expect(second.object?["id"] as? Int == number, "\(second)")
    }
  }

  @Test("who has acted is recorded with the action")
  func author() async throws {
    try await Bank.open { bank in
      _ = try await bank.act("pause", #""department":"front""#)
      let answer = try await bank.browser.get("/api/actions?limit=1")
      let action = (answer.object?["actions"] as? [[String: Any]])?.first
      #expect(action?["action"] as? String == "pause" && action?["by"] as? String == "local", "\(answer)")
    }
  }

  @Test("what is done without a command is recorded, too: a start, a screen's action")
  func notes() async throws {
    try await Bank.open(screens: [Self.screen]) { bank in
      let form = JobID().description
      let started = try await bank.act("start-plan", #""plan":"opening""#, form: form)
      let run = try #require(started.object?["run"] as? String, "\(started)")
      _ = try await bank.act("start-plan", #""plan":"opening""#)
      let counted = try await bank.browser.post("/api/screens/till/count", #"{"form":"\#(JobID())"}"#)
      #expect(counted.body == #"{"coins":7}"#, "\(counted)")
      let refused = try await bank.browser.post("/api/screens/till/refuse", #"{"form":"\#(JobID())"}"#)
      #expect(refused.status == 409, "\(refused)")
      let actions = try await bank.actions()
      #expect(actions.map(\.action) == ["screen", "start_plan"], "a start that began no run is not recorded")
      #expect(actions.map(\.name) == ["till/count", "opening"] && actions[1].job == JobID(run))
      #expect(actions.allSatisfy { $0.by?.name == "local" }, "\(actions)")
    }
  }

  private static var screen: PageScreen {
    var screen = PageScreen(path: "till", title: "Till", script: [])
    screen.carryOut("count") { _ in ["coins": 7] }
    screen.carryOut("refuse") { _ in throw PageRefusal(code: "closed", message: "the till is closed") }
    return screen
  }

  @Test("choices about events are recorded, also one that came too late")
  func choices() async throws {
    try await Bank.open { bank in
      bank.door.open()
      let run = try await bank.system.client.startPlan("opening")
      #expect(try await run.outcome(timeout: patience).failure == nil)
      let events = [JobID(), JobID()]
      for event in events {
        try await bank.system.client.send("push", payload: .string("succeed"), id: event).accepted(timeout: patience)
      }
      _ = try await bank.act("accept-event", #""event":"\#(events[0])""#)
      _ = try await bank.act("accept-event", #""event":"\#(events[0])""#)
      let dismissed = try await bank.act("dismiss-event", #""event":"\#(events[1])""#)
      #expect(dismissed.object?["changed"] as? Bool == true, "\(dismissed)")
      let actions = try await bank.actions()
      #expect(actions.map(\.action) == ["dismiss_event", "accept_event", "accept_event"], "\(actions)")
      #expect(actions.map(\.job) == [events[1], events[0], events[0]])
      #expect(actions.map(\.detail) == [nil, "decided before", nil])
    }
  }

  @Test("jobs are cancelled, replayed and dropped, by their ids or all that match")
  func jobs() async throws {
    try await Bank.open { bank in
      let ids = try await bank.submit(.wait, .succeed, .succeed)
      let cancelled = try await bank.act("cancel", #""jobs":["\#(ids[2])","\#(JobID())"]"#)
      #expect((cancelled.object?["changed"] as? [String]) == [ids[2].description], "\(cancelled)")
      let operation = try await bank.act("cancel", #""department":"front""#)
      let number = try #require(operation.object?["id"] as? Int, "\(operation)")
      try await eventually("it has ended", within: patience) {
        try await bank.browser.get("/api/operations/\(number)").object?["finished_ms"] != nil
      }
      try await bank.wait(for: 3, .cancelled)
      let failed = try await bank.submit(.fail, .fail)
      for id in failed { try await bank.system.outcome(of: id) }
      let replayed = try await bank.act("replay", #""jobs":["\#(failed[0])"]"#)
      #expect((replayed.object?["replays"] as? [String])?.count == 1, "\(replayed)")
      let dropped = try await bank.act("drop", #""all":true"#)
      #expect(dropped.object?["action"] as? String == "drop", "\(dropped)")
      #expect(try await bank.act("cancel").code == "invalid", "nobody cancels all by leaving a word out")
    }
  }

  @Test("a reset cancels all that waits and runs")
  func reset() async throws {
    try await Bank.open { bank in
      _ = try await bank.submit(.wait, .wait, .wait)
      #expect(try await bank.browser.get("/api/count?action=reset").object?["jobs"] as? Int == 3)
      #expect(try await bank.act("reset").object?["action"] as? String == "reset")
      try await bank.wait(for: 3, .cancelled)
    }
  }

  @Test("tellers, workers, ranks and keys are changed as by the commands")
  func others() async throws {
    try await Bank.open { bank in
      let resized = try await bank.act("resize", #""department":"front","tellers":3"#)
      #expect((resized.object?["workers"] as? [[String: Any]])?.first?["tellers"] as? Int == 3, "\(resized)")
      _ = try await bank.act("pause", #""department":"front""#)
      let id = try await bank.submit(.succeed)[0]
      try await eventually("it waits", within: patience) { try await bank.system.client.job(id).state == .held }
      let ranked = try await bank.act("rerank", #""job":"\#(id)","priority":9"#)
      #expect(ranked.object?["priority"] as? Int == 9, "\(ranked)")
      #expect(try await bank.act("rerank", #""job":"\#(id)","rank":9"#).code == "wrong_place")
      #expect(try await bank.act("free-key", #""kind":"visit","key":"a/b""#).object?["changed"] as? Bool == false)
      #expect(
        try await bank.act("reset-key", #""kind":"visit","key":"a""#).object?["action"] as? String == "reset_keys")
      #expect(try await bank.act("forget-subscriber", #""name":"audit""#).object?["changed"] as? Bool == false)
      #expect(try await bank.act("drain", #""worker":"nobody""#).code == "no_worker")
    }
  }

  @Test("a plan is started once by a form, and stopped")
  func plans() async throws {
    try await Bank.open { bank in
      let form = JobID().description
      let started = try await bank.act("start-plan", #""plan":"opening""#, form: form)
      #expect(started.object?["started"] as? Bool == true, "\(started)")
      #expect(try await bank.act("start-plan", #""plan":"opening""#, form: form).body == started.body)
      let again = try await bank.act("start-plan", #""plan":"opening""#)
      #expect(
        again.object?["started"] as? Bool == false
          && again.object?["run"] as? String == started.object?["run"] as? String)
      let stopped = try await bank.act("stop-plan", #""plan":"opening","gates":"open""#)
      #expect(stopped.object?["plan"] as? String == "opening", "\(stopped)")
      let unknown = try await bank.act("start-plan", #""plan":"nothing""#)
      #expect(unknown.status == 409 && unknown.code == "unknown_plan", "\(unknown)")
      let event = try await bank.act("accept-event", #""event":"\#(JobID())""#)
      #expect(event.status == 409 && event.code == "unknown_event", "\(event)")
    }
  }
}
