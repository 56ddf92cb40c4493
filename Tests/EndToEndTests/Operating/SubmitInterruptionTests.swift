import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("A submission that somebody interrupts", .serialized)
struct SubmitInterruptionTests {
  @Test("tells the job that it has submitted", arguments: [SIGINT, SIGTERM])
  func told(number: Int32) async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let submit = try system.launch("teller", ["submit", "noop", "--delay", "1h", "--wait", "--within", "280s"])
    try await eventually("the job is accepted", within: TellerSystem.longLimit) {
      try await system.department("work")["held"] as? Int == 1
    }
    let job = try #require(try await system.ask("jobs", "--json").objects.first?["id"] as? String)
    submit.signal(number)
    #expect(try await submit.waitForExit(within: TellerSystem.limit) == 130)
    let errors = submit.text(of: .standardError)
    #expect(errors.contains { $0.contains("job \(job) ") }, "\(errors)")
    // The coordinator may have the job before the broker's confirm is here.
    let isCounted = errors.last?.contains("interrupted; what is submitted stays so (1)") == true
    #expect(isCounted || errors.last?.contains("may be submitted all the same") == true, "\(errors)")
    #expect(try await system.department("work")["held"] as? Int == 1)
    try await coordinator.close()
  }

  @Test("counts the job as submitted once the broker has confirmed it", arguments: [SIGINT, SIGTERM])
  func counted(number: Int32) async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let arguments = ["submit", "noop", "--delay", "1h", "--wait", "--json", "--within", "280s"]
    let submit = try system.launch("teller", arguments)
    // Said behind the confirm.
    _ = try await submit.waitForLine(containing: #""event":"accepted""#, within: TellerSystem.longLimit)
    submit.signal(number)
    #expect(try await submit.waitForExit(within: TellerSystem.limit) == 130)
    let errors = submit.text(of: .standardError)
    #expect(errors.last?.contains("interrupted; what is submitted stays so (1)") == true, "\(errors)")
    try await coordinator.close()
  }

  @Test("begins nothing more: what the broker has is what it tells of")
  func many() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let submit = try system.launch("teller", ["submit", "noop", "--count", "200000", "--json", "--within", "280s"])
    try await submit.waitForLine(containing: "accepted", within: TellerSystem.longLimit)
    submit.signal(SIGINT)
    #expect(try await submit.waitForExit(within: TellerSystem.limit) == 130)
    let summary = try #require(submit.text(of: .standardOutput).last?.json)
    let submitted = try #require(summary["submitted"] as? Int)
    let error = try #require(submit.text(of: .standardError).last)
    let unconfirmed = error.firstMatch(of: /([0-9]+) more jobs/).flatMap { Int($0.1) } ?? 0
    #expect(submitted < 200_000)
    try await eventually("all of them are accepted", within: TellerSystem.longLimit) {
      try await system.waitingSubmissions() == 0
    }
    let work = try await system.department("work")
    let accepted = try #require(work["held"] as? Int) + #require(work["queued"] as? Int)
    #expect((submitted...submitted + unconfirmed).contains(accepted), "\(accepted) are there: \(error)")
    try await coordinator.close()
  }

  @Test("ends though its input does not, and counts what it has submitted")
  func openInput() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let submit = try system.launch("teller", ["submit", "--batch", "-", "--json", "--within", "280s"])
    try submit.write(#"{"kind": "noop", "delay": "1h"}"# + "\n")
    _ = try await submit.waitForLine(containing: #""event":"accepted""#, within: TellerSystem.longLimit)
    submit.signal(SIGINT)
    #expect(try await submit.waitForExit(within: TellerSystem.limit) == 130)
    #expect(submit.text(of: .standardOutput).last?.json?["submitted"] as? Int == 1)
    try await coordinator.close()
  }
}

extension TellerSystem {
  /// How many submissions no coordinator has taken in yet; nil: the broker does not say.
  func waitingSubmissions() async throws -> Int? {
    try await BrokerNode.shared.queues(of: brokerURL)["teller.submissions.2"]?.messages
  }
}

extension String {
  fileprivate var json: [String: any Sendable]? {
    (try? JSONSerialization.jsonObject(with: Data(utf8))) as? [String: any Sendable]
  }
}
