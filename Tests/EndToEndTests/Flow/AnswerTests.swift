import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("What `submit` says about a submission")
struct AnswerTests {
  /// A kind whose job fails at once.
  private let failing = ["effect", "--payload", #"{"permanent": true}"#]

  private func submit(_ system: TellerSystem, _ arguments: [String]) async throws -> TellerSystem.Ended {
    try await system.run("teller", ["submit"] + arguments)
  }

  /// The object of the submission in what `--json` prints.
  private func decided(_ ended: TellerSystem.Ended) throws -> [String: any Sendable] {
    try #require(ended.objects.first { $0["job"] != nil }, "\(ended)")
  }

  @Test("a duplicate of a job that will not run any more is exit code 2, with the job, its state and its error")
  func duplicates() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    // A job of each sort, under a key of its name.
    let first = try await submit(system, failing + ["--key", "failed", "--wait", "--json"])
    #expect(first.status == 1)
    let failed = try #require(try decided(first)["job"] as? String)
    let cancelled = try await system.submitOne("noop", "--key", "cancelled", "--delay", "1h")
    #expect(try await system.teller("cancel", cancelled).status == 0)
    let late = try await submit(system, ["noop", "--key", "late", "--start-by", "2020-01-01T00:00:00Z", "--json"])
    #expect(late.status == 2, "\(late)")
    #expect(try decided(late)["event"] as? String == "accepted")
    #expect(try decided(late)["state"] as? String == "failed")
    let held = try await system.submitOne("noop", "--key", "held", "--delay", "1h")
    let done = try await submit(system, ["echo", "--payload", "1", "--key", "done", "--wait", "--json"])
    #expect(done.status == 0)

    for (key, arguments, state, status) in [
      ("failed", failing, "failed", 2), ("cancelled", ["noop"], "cancelled", 2), ("late", ["noop"], "failed", 2),
      ("held", ["noop"], "held", 0), ("done", ["echo", "--payload", "1"], "succeeded", 0),
    ] {
      let again = try await submit(system, arguments + ["--key", key, "--json"])
      #expect(again.status == status, "\(key): \(again)")
      let said = try decided(again)
      #expect(said["event"] as? String == "duplicate" && said["state"] as? String == state, "\(key): \(said)")
      #expect(said["content"] as? String == "same", "\(key): \(said)")
      #expect((said["error"] != nil) == (status == 2), "\(key): \(said)")
      let words = try await submit(system, arguments + ["--key", key])
      #expect(words.status == status && words.lines == [said["duplicate_of"] as? String], "\(key): \(words)")
      #expect(words.errors.joined().contains("nothing will run") == (status == 2), "\(key): \(words)")
    }
    // With --wait the outcome decides.
    #expect(try await submit(system, failing + ["--key", "failed", "--wait"]).status == 1)
    let other = try await submit(system, ["echo", "--payload", "2", "--key", "done", "--json"])
    #expect(other.status == 0)
    #expect(try decided(other)["content"] as? String == "different")
    let behind = try await submit(system, ["noop", "--after", failed, "--json"])
    #expect(behind.status == 2)
    #expect(try decided(behind)["state"] as? String == "failed")
    try await expectBatch(system, held: held)
    for process in [worker, coordinator] { try await process.close() }
  }

  /// One line of a batch for whose job nothing will run is enough.
  private func expectBatch(_ system: TellerSystem, held: String) async throws {
    let lines = [
      #"{"kind": "noop", "key": "held"}"#, #"{"kind": "noop", "key": "late"}"#, #"{"kind": "noop", "delay": "1h"}"#,
    ]
    let file = system.folder.appending("answers.ndjson")
    try Data(lines.joined(separator: "\r\n").utf8).write(to: file)
    let batch = try await submit(system, ["--batch", file.path, "--json"])
    #expect(batch.status == 2, "\(batch)")
    // The last line has no end, so it may be answered by itself, and before the others.
    let line = { (object: [String: Any]) in object["line"] as? Int ?? .max }
    let objects = batch.objects.sorted { line($0) < line($1) }
    #expect(objects.compactMap { $0["event"] as? String } == ["duplicate", "duplicate", "accepted", "summary"])
    #expect(objects.first?["duplicate_of"] as? String == held)
    let summary = try #require(batch.objects.last)
    #expect(summary["accepted"] as? Int == 3 && summary["duplicates"] as? Int == 2)
    #expect(summary["not_to_run"] as? Int == 1)
    let words = try await submit(system, ["--batch", file.path])
    #expect(words.errors.count { $0.contains("nothing will run") } == 1, "\(words)")
  }

  @Test("an id that is used with other content is refused, and with the same content it is the same job")
  func ids() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let id = UUID().uuidString.lowercased()
    let job = ["noop", "--id", id, "--delay", "1h"]
    #expect(try await submit(system, job + ["--payload", "[1]"]).status == 0)
    let same = try await submit(system, job + ["--payload", "[1]", "--json"])
    #expect(same.status == 0)
    #expect(try decided(same)["event"] as? String == "duplicate")
    #expect(try decided(same)["duplicate_of"] as? String == id)
    for other in [
      job + ["--payload", "[1.0]"], job, job + ["--payload", "[1]", "--key", "k"],
      job + ["--payload", "[1]", "--department", "other"], ["echo", "--id", id, "--payload", "[1]"],
    ] {
      let refused = try await submit(system, other)
      #expect(refused.status == 2 && refused.errors.joined().contains("id_conflict"), "\(other): \(refused)")
    }
    // Twice in one batch, where one handle cannot speak for both.
    let second = UUID().uuidString.lowercased()
    let lines = (1...2).map { #"{"kind": "noop", "id": "\#(second)", "delay": "1h", "payload": \#($0)}"# }
    let file = system.folder.appending("ids.ndjson")
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
    let batch = try await submit(system, ["--batch", file.path, "--json"])
    #expect(batch.status == 2)
    #expect(batch.objects.compactMap { $0["event"] as? String }.sorted() == ["accepted", "rejected", "summary"])
    try await coordinator.close()
  }

  @Test("a job after one that was removed is answered at once: by what is known, or by a refusal")
  func afterRemoved() async throws {
    let system = try await TellerSystem.onSharedBroker(more: "retention: {time: 2s}\n")
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let ended = try await submit(system, ["echo", "--payload", "1", "--wait", "--json"])
    let failed = try await submit(system, failing + ["--wait", "--json"])
    let ids = try [ended, failed].map { try #require(try decided($0)["job"] as? String) }
    try await eventually("both are removed", within: TellerSystem.longLimit) {
      let shown = try await [system.ask("show", ids[0]).status, system.ask("show", ids[1]).status]
      return shown == [66, 66]
    }
    let behind = try await submit(system, ["echo", "--payload", "2", "--after", ids[0], "--wait"])
    #expect(behind.status == 0, "\(behind)")
    let doomed = try await submit(system, ["echo", "--after", ids[1]])
    #expect(doomed.status == 2 && doomed.errors.joined().contains("dependency"), "\(doomed)")
    // Made in 2022.
    let unknown = try await submit(system, ["echo", "--after", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"])
    #expect(unknown.status == 2 && unknown.errors.joined().contains("unknown_dependency"), "\(unknown)")
    // In a batch the one that waits may come first.
    let (first, second) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
    let lines = [
      #"{"kind": "echo", "id": "\#(second)", "after": ["\#(first)"], "payload": 2}"#,
      #"{"kind": "echo", "id": "\#(first)", "payload": 1}"#,
    ]
    let file = system.folder.appending("order.ndjson")
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
    #expect(try await submit(system, ["--batch", file.path, "--wait"]).status == 0)
    for process in [worker, coordinator] { try await process.close() }
  }
}
