import AMQP
import BrokerSupport
import Foundation
import JobModel
import JobTransport
import Teller
import TellerTesting
import TestSupport
import Testing

@testable import TellerPage

@Suite("Questions of the page on a real broker", .timeLimit(.minutes(10)))
struct QuestionSystemTests {
  @Test("each answer is what the commands print")
  func answers() async throws {
    try await Bank.open { bank in
      let ids = try await bank.submit(.succeed, .fail)
      for id in ids { try await bank.system.outcome(of: id) }
      func members(_ path: String) async throws -> [String: Any] {
        let answer = try await bank.browser.get("/api/\(path)")
        #expect(answer.status == 200, "\(path): \(answer)")
        return try #require(answer.object, "\(path): \(answer)")
      }
      #expect(try await members("status")["departments"] is [Any])
      let jobs = try await bank.browser.get("/api/jobs?department=front")
      let page = try await bank.system.client.jobs(JobQuery(department: "front"))
      #expect(jobs.body == (try PrintedJSON.text(page)))
      #expect(try await members("jobs?state=failed&error=closed")["jobs"] is [Any])
      #expect((try await members("jobs?unsettled=true")["jobs"] as? [Any])?.count == 1)
      #expect(try await members("count?action=replay&department=front")["failed"] as? Int == 1)
      #expect((try await members("failures")["lines"] as? [Any])?.count == 1)
      #expect((try await members("report?department=front")["lines"] as? [Any])?.count == 1)
      #expect((try await members("workers")["workers"] as? [Any])?.count == 1)
      for (path, list) in [
        ("schedules", "schedules"), ("keys", "keys"), ("subscribers", "subscribers"), ("plans", "plans"),
        ("events", "events"), ("plans?ended=true", "not_started"),
      ] {
        #expect(try await members(path)[list] is [Any], "\(path)")
      }
      #expect(try await members("plans/opening")["steps"] is [Any])
      #expect(try await members("keys/one?kind=visit&key=a/b")["taken"] as? Bool == false)
      #expect(try await bank.browser.get("/api/rejected").list?.isEmpty == true)
    }
  }

  @Test("a job: its record without its result, why it waits, its payload and its result for those who ask")
  func job() async throws {
    try await Bank.open { bank in
      let ids = try await bank.submit(.succeed, .fail)
      for id in ids { try await bank.system.outcome(of: id) }
      let record = try await bank.browser.get("/api/jobs/\(ids[0])")
      #expect(record.object?["state"] as? String == "succeeded" && record.object?["result"] == nil, "\(record)")
      #expect(record.object?["attempts_made"] is [Any])
      #expect(try await bank.browser.get("/api/jobs/\(ids[0])/explanation").object?["reasons"] is [Any])
      let payload = try await bank.browser.get("/api/jobs/\(ids[0])/payload")
      #expect(payload.object?["text"] as? String == #""succeed""#, "\(payload)")
      #expect(try await bank.browser.get("/api/jobs/\(ids[0])/result").object?["text"] as? String == #""served""#)
      #expect(try await bank.browser.get("/api/jobs/\(ids[1])/result").status == 404)
      let unknown = try await bank.browser.get("/api/jobs/\(JobID())")
      #expect(unknown.status == 404 && unknown.code == "not_found", "\(unknown)")
      #expect(try await bank.browser.get("/api/operations/77").status == 404)
      #expect(try await bank.browser.get("/api/plans/nothing").status == 404)
    }
  }

  @Test("a board has the numbers of all, and the jobs of those that were named, in the order of serving")
  func board() async throws {
    try await Bank.open { bank in
      let ids = try await bank.submit(.wait, .succeed, .succeed)
      try await eventually("one runs", within: patience) {
        try await bank.system.client.job(ids[0]).state == .running
      }
      let board = try await bank.browser.get("/api/board?department=front")
      let departments = try #require(board.object?["departments"] as? [[String: Any]], "\(board)")
      #expect(departments.count == 2)
      let waiting = departments.flatMap { $0["waiting"] as? [[String: Any]] ?? [] }
      #expect(waiting.compactMap { $0["job"] as? String } == ids.dropFirst().map(\.description))
      #expect(try await bank.browser.get("/api/board?department=nowhere").code == "unknown_department")
    }
  }

  @Test("live: what happens is told with its place, as `teller watch --json` prints it")
  func live() async throws {
    try await Bank.open { bank in
      try await bank.browser.stream("/api/live?department=front&department=nowhere") { reader in
        // A board that takes its time has a picture without one before it.
        while let picture = try await reader.next("picture") {
          #expect((picture.id != nil) == (picture.object["board"] is [String: Any]), "\(picture)")
          if picture.id != nil { break }
        }
        let id = try await bank.submit(.fail)[0].description
        while let message = try await reader.next("events") {
          guard let event = message.event(of: id, "failed") else { continue }
          #expect(event["department"] as? String == "front" && event["seq"] is Int && event["attempt"] as? Int == 1)
          #expect((event["error"] as? [String: Any])?["message"] as? String == "<script>alert(1)</script>")
          break
        }
        while let board = try await reader.next("board") {
          let departments = board.object["departments"] as? [[String: Any]] ?? []
          let failed = departments.compactMap { ($0["status"] as? [String: Any])?["failed"] as? Int }.reduce(0, +)
          if failed == 1 { break }
        }
      }
    }
  }

  @Test("rejected messages are listed, and put back or dropped by their ids")
  func rejected() async throws {
    try await Bank.open { bank in
      let connection = try await Connection.patient(to: bank.broker)
      for name in ["first", "second"] {
        _ = try await connection.publish(
          Publishing(
            exchange: Topology.Exchange.submit, routingKey: Topology.RoutingKey.submit,
            properties: MessageProperties(messageID: name), body: Array("no job".utf8)))
      }
      let ids = try await Self.rejected(2, bank)
      let missing = try await bank.act("drop-rejected", #""ids":["0123456789abcdef"]"#)
      #expect(missing.status == 404 && missing.code == "not_found", "\(missing)")
      let form = JobID().description
      let dropped = try await bank.act("drop-rejected", #""ids":["\#(ids[0])"]"#, form: form)
      #expect(dropped.body == #"[{"dropped":true,"id":"\#(ids[0])"}]"#, "\(dropped)")
      #expect(try await bank.act("drop-rejected", #""ids":["\#(ids[0])"]"#, form: form).body == dropped.body)
      #expect(try await Self.rejected(1, bank) == [ids[1]])
      let putBack = try await bank.act("put-back", #""ids":["\#(ids[1])"]"#)
      #expect((putBack.list?.first as? [String: Any])?["put_back"] as? Bool == true, "\(putBack)")
      let actions = try await bank.actions()
      #expect(actions.map(\.action) == ["put_back", "drop_rejected"] && actions.map(\.name) == [ids[1], ids[0]])
      #expect(actions.allSatisfy { $0.detail == "1 message" && $0.by?.name == "local" }, "\(actions)")
      await connection.close()
    }
  }

  /// The ids, once there are so many.
  private static func rejected(_ count: Int, _ bank: Bank) async throws -> [String] {
    let ids = OneShot<[String]>()
    try await eventually("\(count) are rejected", within: patience) {
      let list = try await bank.browser.get("/api/rejected").list as? [[String: Any]] ?? []
      guard list.count == count else { return false }
      ids.fulfil(.success(list.compactMap { $0["id"] as? String }))
      return true
    }
    return try await ids.value
  }
}

extension LiveReader.Message {
  /// The event of that job and change.
  fileprivate func event(of job: String, _ change: String) -> [String: Any]? {
    let events = ((try? JSONSerialization.jsonObject(with: Data(data.utf8))) as? [[String: Any]]) ?? []
    return events.first { $0["job"] as? String == job && $0["event"] as? String == change }
  }
}
