import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("Payloads and results, as bytes", .serialized)
struct PayloadTests {
  /// The most bytes that a payload may have; they are no text, and end without the end of a line.
  private static let largest = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 131) })

  /// What `teller show` prints on its standard output, byte for byte.
  private func bytes(_ system: TellerSystem, _ job: String, _ option: String) async throws -> Data {
    let file = system.folder.appending("shown-\(UUID().uuidString)")
    let command = #"exec "$0" show "$1" "$2" > "$3""#
    let shell = try system.launch(
      URL(filePath: "/bin/sh"), named: "show \(option)",
      ["-c", command, BuiltProducts.url("teller").path, job, option, file.path])
    shell.closeInput()
    let status = try await shell.waitForExit(within: TellerSystem.limit)
    #expect(status == 0, "\(shell.text(of: .standardError))\n\(system.logs)")
    return try Data(contentsOf: file)
  }

  @Test("the largest payload is shown byte for byte, while its job waits and after it has ended, as is the result")
  func largest() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let file = system.folder.appending("payload")
    try Self.largest.write(to: file)
    let job = try await system.submitOne("echo", "--payload-file", file.path, "--attempts", "1")
    #expect(try await bytes(system, job, "--payload") == Self.largest)
    let early = try await system.teller("show", job, "--result")
    #expect(early.status == 2 && early.errors.joined().contains("no result yet: it is queued"), "\(early)")

    let worker = try await system.startWorker("work=1")
    // The handler wants JSON.
    #expect(try await system.outcomes(of: [job]).values.first == "failed")
    #expect(try await bytes(system, job, "--payload") == Self.largest)
    let failed = try await system.teller("show", job, "--result")
    #expect(failed.status == 1 && failed.errors.joined().contains("bad_payload"), "\(failed)")

    for more in [1, 20 << 20] {
      try (Self.largest + Data(count: more)).write(to: file)
      let refused = try await system.teller("submit", "echo", "--payload-file", file.path)
      #expect(refused.status == 64 && refused.errors.joined().contains("more than 1048576 bytes"), "\(refused)")
    }

    let fine = try await system.submitOne("echo", "--payload", #"{"a": "ü"}"#)
    #expect(try await system.outcomes(of: [fine]).values.first == "succeeded")
    let shown = try #require(try await system.show(fine)["result"] as? String)
    #expect(try await bytes(system, fine, "--result") == Data(shown.utf8))
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("a step has the payload that its plan gave it, a plan has none, and what is not known has none either")
  func plan() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let plan = UUID().uuidString.lowercased()
    let body = #"{"department": "init", "steps": [{"name": "one", "kind": "echo", "rank": 1, "payload": {"n":7}}]}"#
    let message = try TellerSystem.message(
      ["message_id": plan, "content_type": "application/vnd.teller.plan+json", "correlation_id": plan], body: body)
    let client = try system.submitByPika([message])
    var steps: [[String: any Sendable]] = []
    try await eventually("the plan is accepted", within: TellerSystem.limit, lastState: { system.logs }) {
      steps = try await system.ask("jobs", "--department", "init", "--json").objects
      return !steps.isEmpty
    }
    let step = try #require(steps.first?["id"] as? String)
    #expect(try await bytes(system, step, "--payload") == Data(#"{"n":7}"#.utf8))
    let whole = try await system.teller("show", plan, "--payload")
    #expect(whole.status == 2 && whole.lines.isEmpty && whole.errors.joined().contains("one of its steps"), "\(whole)")
    let unknown = try await system.teller("show", UUID().uuidString, "--payload")
    #expect(unknown.status == 66 && unknown.lines.isEmpty, "\(unknown)")
    try await client.close()
    try await coordinator.close()
  }
}
