import Foundation
import SystemSupport
import TestSupport
import Testing

/// A script reads the exit code alone: 0 says that what was asked for was done, or will be.
@Suite("Exit codes of commands")
struct ExitCodeTests {
  private static let unknown = "0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11"

  @Test("0 only for what was done or will be; each other outcome has its code")
  func table() async throws {
    let system = try await TellerSystem.onSharedBroker(
      more: """
        plans:
          opening:
            department: init
            steps: [{name: one, rank: 1, kind: noop}]
            events: [{name: push, rank: 1, kind: noop}, {name: crack, rank: 1, kind: effect}]

        """)
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2", "init=1")
    let done = try await system.submitOne("echo", "--payload", "1")
    #expect(try await system.ask("wait", done).status == 0)
    let failed = try await system.submitOne("effect", "--payload", #"{"permanent": true}"#)
    #expect(try await system.ask("wait", failed).status == 1)
    let held = try await system.submitOne("noop", "--delay", "1h")

    let unknown = Self.unknown
    let rows: [(status: Int32, arguments: [String])] = [
      // What nobody knows.
      (66, ["cancel", unknown]), (66, ["replay", unknown]), (66, ["drop", unknown]), (66, ["show", unknown]),
      (66, ["explain", unknown]), (66, ["wait", unknown]), (66, ["rerank", unknown, "--priority", "9"]),
      (66, ["pause", "nowhere"]), (66, ["resume", "nowhere"]), (66, ["resize", "nowhere", "2"]),
      (66, ["drain", unknown]), (66, ["operation", "999"]), (66, ["watch", "--department", "nowhere"]),
      (66, ["plan", "show", "nowhere"]), (66, ["plan", "stop", "nowhere", "--gates", "keep"]),
      (66, ["event", "show", unknown]), (67, ["outcome", "--kind", "noop", "--key", "nobody"]),
      (2, ["plan", "start", "nowhere"]), (2, ["event", "nothing"]), (2, ["event", "accept", unknown]),
      (2, ["event", "dismiss", unknown]), (2, ["submit", "noop", "--department", "nowhere"]),
      // What cannot be changed.
      (2, ["cancel", done]), (2, ["replay", done]), (2, ["drop", done]), (2, ["rerank", done, "--priority", "9"]),
      (2, ["submit", "noop", "--after", failed]), (1, ["wait", failed]),
      // What is as it was wanted already.
      (0, ["resume", "work"]), (0, ["keys", "free", "noop", "nobody"]), (0, ["keys", "reset", "noop", "nobody"]),
      (0, ["cancel", "--kind", "nothing", "--yes"]), (0, ["replay", "--kind", "nothing", "--yes"]),
      // What is done.
      (0, ["rerank", held, "--priority", "9"]), (0, ["cancel", held]), (2, ["cancel", held]),
      (0, ["replay", failed]), (0, ["replay", failed]), (2, ["drop", failed]),
    ]
    for (status, arguments) in rows {
      let ended = try await system.run("teller", arguments)
      #expect(ended.status == status, "\(arguments.joined(separator: " ")): \(ended)")
      #expect(status == 0 || status == 1 || !ended.errors.isEmpty, "\(arguments): \(ended)")
    }
    try await expectPlans(system)
    for process in [worker, coordinator] { try await process.close() }
  }

  /// A run, or an event, that comes again by its id.
  private func expectPlans(_ system: TellerSystem) async throws {
    let (run, event) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
    let start = ["plan", "start", "opening", "--id", run]
    #expect(try await system.run("teller", start + ["--wait"]).status == 0)
    let again = try await system.run("teller", start + ["--json"])
    #expect(again.status == 0 && again.objects.first?["started"] as? Bool == false, "\(again)")
    let send = ["event", "push", "--payload", "1", "--id", event]
    let first = try await system.run("teller", send + ["--wait", "--json"])
    #expect(first.status == 0 && first.objects.first?["event"] as? String == "accepted", "\(first)")
    let words = try await system.run("teller", send)
    #expect(words.status == 0 && words.lines == ["\(event) acted"], "\(words)")
    let line = "teller: event \(event) is a duplicate of event \(event), which has succeeded"
    #expect(words.errors.contains(line), "\(words)")
    try await expectDuplicate(system, send, of: event, state: "acted", status: 0)
    try await expectDuplicate(system, send + ["--wait"], of: event, state: "succeeded", status: 0)
    let other = try await system.run("teller", ["event", "push", "--payload", "2", "--id", event])
    #expect(other.status == 2 && other.errors.joined().contains("id_conflict"), "\(other)")
    // It was acted on: nobody can say any more that nothing is to be done.
    let late = try await system.teller("event", "dismiss", event)
    #expect(late.status == 2, "\(late)")
    try await expectFailedEvent(system)
    #expect(try await system.teller("plan", "stop", "opening").status == 0)
  }

  /// An event whose job has failed, and that comes again by its id.
  private func expectFailedEvent(_ system: TellerSystem) async throws {
    let event = UUID().uuidString.lowercased()
    let send = ["event", "crack", "--payload", #"{"permanent": true}"#, "--id", event]
    #expect(try await system.run("teller", send + ["--wait"]).status == 1)
    let again = try await system.run("teller", send)
    #expect(again.status == 2 && again.lines == ["\(event) acted"], "\(again)")
    let said = again.errors.joined(separator: "\n")
    #expect(said.contains("is a duplicate of event \(event), which has failed (asked_to_fail: "), "\(again)")
    #expect(said.contains("): nothing will run"), "\(again)")
    try await expectDuplicate(system, send, of: event, state: "acted", status: 2)
    try await expectDuplicate(system, send + ["--wait"], of: event, state: "failed", status: 1)
  }

  private func expectDuplicate(
    _ system: TellerSystem, _ arguments: [String], of event: String, state: String, status: Int32
  ) async throws {
    let ended = try await system.run("teller", arguments + ["--json"])
    let object = try #require(ended.objects.first, "\(ended)")
    #expect(ended.status == status && object["id"] as? String == event, "\(ended)")
    #expect(object["event"] as? String == "duplicate" && object["duplicate_of"] as? String == event, "\(ended)")
    #expect(object["content"] as? String == "same" && object["state"] as? String == state, "\(ended)")
    #expect((object["error"] != nil) == (status != 0), "\(ended)")
  }

  @Test(
    "74 and the reason where the answer cannot be written; 0 where its reader has read enough",
    arguments: [("/dev/full", 74), ("/dev/null", 0)] as [(String, Int32)])
  func unwritten(target: String, status: Int32) async throws {
    let system = try await TellerSystem.onSharedBroker()
    let teller = try BuiltProducts.url("teller").path
    for command in ["config check", "completions bash"] {
      let shell = try system.launch(
        URL(filePath: "/bin/sh"), named: command, ["-c", "\"$1\" \(command) >\(target)", "sh", teller])
      #expect(try await shell.waitForExit(within: TellerSystem.limit) == status, "\(command)")
      let errors = shell.text(of: .standardError).joined()
      #expect(errors.contains("No space left on device") == (status != 0), "\(command): \(errors)")
    }
  }
}
