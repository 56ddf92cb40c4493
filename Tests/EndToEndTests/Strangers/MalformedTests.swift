import Foundation
import SystemSupport
import TestSupport
import Testing

/// What nobody should submit, and somebody will: see `Clients/malformed.py`.
@Suite("Malformed submissions", .serialized)
struct MalformedTests {
  private static let reasons = [
    "no kind": "missing_kind", "a kind that is no name": "bad_kind", "unknown department": "unknown_department",
    "a body of 5 MiB": "body_too_large", "a header without a name": "bad_headers",
    "20,000 nested tables": "bad_headers", "too many headers": "bad_headers",
    "headers that are too large": "bad_headers", "priority 200": "bad_priority", "no id": "missing_id",
    "an id that is no UUID": "bad_id", "an id that is not UTF-8": "bad_headers", "a plan that is no JSON": "bad_plan",
    "a pack that is none": "bad_pack", "a pack with a long id": "bad_pack",
    "a pack with an id of odd bytes": "bad_pack", "a pack with a delay": "not_supported",
    "a header of a later version": "not_supported",
    "a delay that is no number": "bad_time",
    "a time limit of nothing": "bad_timeout",
    "a job that waits for none": "bad_after",
    "an empty key": "bad_key",
  ]
  private static let rounds = SeededRandom.length(60, long: 200)
  /// Generous: a tenth of it is normal. The script itself gives up a round that does not end.
  private static let limitOfRound: Duration = .seconds(5)
  /// As in the script.
  private static let deepEach = 40
  /// The broker is busy with all of them for longer than it may take to answer a request: 3.10 and 4 need 2 to 5 seconds
  /// for each, on a slow core.
  private static let deepAtOnce = 5
  /// A twentieth of the large bodies would be more.
  private static let allowedGrowth = 16 << 20

  /// What became of one malformed message.
  private struct Finding: Decodable {
    var `case`: String
    var asked: Bool
    var found: [String: Int]
  }

  private func play(_ rounds: Int, on system: TellerSystem) async throws -> [Finding] {
    let client = try system.launchClient("malformed.py", ["\(rounds)"])
    let limit = TellerSystem.longLimit + MalformedTests.limitOfRound * rounds
    return try await findings(of: client, within: limit, on: system)
  }

  private func findings(
    of client: RunningProcess, within limit: Duration, on system: TellerSystem
  ) async throws -> [Finding] {
    let status = try await client.waitForExit(within: limit)
    try #require(status == 0, "\(client.lines.map(\.text))\n\(system.logs)")
    return try client.text(of: .standardOutput).map { try JSONDecoder().decode(Finding.self, from: Data($0.utf8)) }
  }

  private func expectReasons(_ findings: [Finding], rounds: Int) {
    var good = rounds * 2
    for (name, reason) in MalformedTests.reasons {
      let count = name == "20,000 nested tables" ? (rounds - 1) / MalformedTests.deepEach + 1 : rounds
      let silent = findings.first { $0.case == name && !$0.asked }
      #expect(silent?.found == ["parked \(reason)": count], "\(name), by nobody in particular")
      var answers = ["answered \(reason)": count]
      if name == "a body of 5 MiB" { answers["parked \(reason)"] = count }
      let asked = findings.first { $0.case == name && $0.asked }
      #expect(asked?.found == answers, "\(name), by somebody who asked")
      good += count
    }
    let forbidden = findings.first { $0.case == "a forbidden reply_to" }
    #expect(forbidden?.found == ["parked bad_reply_to": rounds * 3])
    #expect(findings.first { $0.case == "good" }?.found == ["accepted": good, "succeeded": good])
    #expect(findings.count == MalformedTests.reasons.count * 2 + 2)
  }

  @Test("are each answered or parked with a reason, and good jobs before, between and after them go through")
  func reasons() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=4")
    expectReasons(try await play(1, on: system), rounds: 1)
    #expect(coordinator.exitStatus == nil)
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("that keep the broker busy hold up other submissions, and the coordinator goes on hearing everybody else")
  func deep() async throws {
    let system = try await TellerSystem.onSharedBroker()
    // The queues are there, and what stands in them is there before the coordinator.
    try await system.startCoordinator().close()
    let client = try system.launchClient("malformed.py", ["deep", "\(MalformedTests.deepAtOnce)"])
    try await client.waitForLine(containing: "published", within: TellerSystem.limit)
    let coordinator = try await system.startCoordinator()
    #expect(try await system.ask("pause", "other").status == 0)
    #expect(client.exitStatus == nil, "the command did not wait behind the submissions")
    let worker = try await system.startWorker("work=4")
    let findings = try await findings(of: client, within: TellerSystem.longLimit, on: system)
    #expect(findings.first { $0.case == "good" }?.found == ["accepted": 1, "succeeded": 1])
    let deep = findings.first { $0.case == "20,000 nested tables" }
    #expect(deep?.found == ["parked bad_headers": MalformedTests.deepAtOnce])
    // One session all the time, as long as the machine was not too busy for heartbeats.
    let lost = coordinator.lines.filter { $0.text.contains("broker lost") && !$0.text.contains("heartbeat") }
    #expect(lost.isEmpty, "\(lost)")
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("leave the coordinator's memory as it is, however many come")
  func memory() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=4")
    // What it needs at all it has then: pages, caches, threads.
    _ = try await play(MalformedTests.rounds / 4, on: system)
    let before = try coordinator.residentMemory()
    expectReasons(try await play(MalformedTests.rounds, on: system), rounds: MalformedTests.rounds)
    let after = try coordinator.residentMemory()
    print("\(MalformedTests.rounds) rounds: the coordinator had \(before >> 20) MiB before, \(after >> 20) MiB after")
    #expect(after - before < MalformedTests.allowedGrowth)
    try await system.servesAgain("malformed submissions", since: .now)
    #expect(coordinator.exitStatus == nil)
    for process in [worker, coordinator] { try await process.close() }
  }
}
