import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("On a terminal", .serialized)
struct TerminalTests {
  private static let bar = "[....................]   0 %  0 accepted, 0 rejected"

  /// A system that lasts, whose coordinator is away: what is submitted waits until it is started again.
  private func withoutCoordinator() async throws -> (system: TellerSystem, batch: String) {
    let system = try await TellerSystem.onSharedBroker()
    try await system.startCoordinator().close()
    let file = system.folder.appending("batch.ndjson")
    try Data(String(repeating: #"{"kind": "noop"}"# + "\n", count: 40).utf8).write(to: file)
    return (system, file.path)
  }

  @Test("submit --batch tells how far it is on a line that it takes away; in a pipe there is only the summary")
  func bar() async throws {
    let (system, batch) = try await withoutCoordinator()
    let terminal = try system.tellerOnTerminal(["submit", "--batch", batch, "--within", "280s"])
    try await terminal.wait(for: TerminalTests.bar)
    let coordinator = try await system.startCoordinator()
    #expect(try await terminal.end() == 0, "\(terminal.text)\n\(system.logs)")
    print(terminal.screen)
    #expect(terminal.screen.last == "", "nothing is left of the bar")
    #expect(!terminal.screen.contains { $0.contains("%") })
    #expect(terminal.screen.dropLast().last?.contains("accepted 40") == true)

    let piped = try await system.run("teller", ["submit", "--batch", batch, "--within", "280s"])
    #expect(piped.status == 0)
    #expect(piped.lines.count == 1, "\(piped.lines)")
    #expect(piped.errors.isEmpty, "\(piped.errors)")
    try await coordinator.close()
  }

  @Test("wait and submit --wait show how far a job has come on a line that they take away; show and watch tell it, too")
  func progress() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    // Each job that waits at the gate has said its word, and says no other.
    let worker = try await system.startWorker("work=40")
    let bar = "[########............]  40 %  page 4 of 10"
    let submitting = try system.tellerOnTerminal(["submit", "gate", "--wait", "--within", "280s"])
    try await submitting.wait(for: bar)
    let job = try await system.submitOne("gate")
    let waiting = try system.tellerOnTerminal(["wait", job])
    try await waiting.wait(for: bar)
    let shown = try await system.ask("show", job)
    #expect(shown.lines.contains { $0.hasPrefix("progress    40 %  page 4 of 10, said ") }, "\(shown.lines)")
    let record = try await system.ask("show", job, "--json").objects.first?["progress"] as? [String: any Sendable]
    #expect(record?["fraction"] as? Double == 0.4)
    #expect(record?["text"] as? String == "page 4\nof 10")
    let piped = Task { try await system.teller("wait", job, "--json") }
    try system.openGate()
    for terminal in [submitting, waiting] {
      #expect(try await terminal.end() == 0, "\(terminal.text)\n\(system.logs)")
      #expect(terminal.screen.last == "", "nothing is left of the bar")
      #expect(!terminal.screen.contains { $0.contains("%") }, "\(terminal.screen)")
      #expect(terminal.screen.contains { $0.contains("succeeded") }, "\(terminal.screen)")
    }
    let ended = try await piped.value
    #expect(ended.objects.map { $0["state"] as? String } == ["succeeded"])
    #expect(ended.objects.first?["progress"] == nil && ended.errors.isEmpty, "\(ended.lines) \(ended.errors)")
    try await watched(system)
    for process in [worker, coordinator] { try await process.close() }
  }

  /// A watch prints progress when it is asked to.
  private func watched(_ system: TellerSystem) async throws {
    system.closeGate()
    let watch = try system.launch("teller", ["watch", "--event", "progress", "--json"])
    try await eventually("the watch prints progress", within: TellerSystem.limit) {
      _ = try await system.submitOne("gate")
      return watch.text(of: .standardOutput).contains { $0.contains(#""event":"progress""#) }
    }
    try system.openGate()
    watch.signal(SIGINT)
    try await watch.waitForExit(within: TellerSystem.limit)
    let lines = watch.text(of: .standardOutput)
    #expect(lines.allSatisfy { $0.contains(#""event":"progress""#) }, "\(lines)")
    #expect(lines.first?.contains(#""progress":0.4"#) == true)
  }

  @Test("Ctrl-C while a batch is submitted takes the bar away, and what is submitted is told")
  func interrupted() async throws {
    let (system, batch) = try await withoutCoordinator()
    let terminal = try system.tellerOnTerminal(["submit", "--batch", batch, "--within", "280s"])
    try await terminal.wait(for: TerminalTests.bar)
    try await eventually("the broker has all of them, in one message", within: TellerSystem.limit) {
      try await system.waitingSubmissions() == 1
    }
    try terminal.type("\u{3}")
    #expect(try await terminal.end() == 130, "\(terminal.text)\n\(system.logs)")
    #expect(!terminal.screen.contains { $0.contains("%") }, "\(terminal.text)")
    let line = try #require(terminal.screen.dropLast().last)
    #expect(line.hasPrefix("teller: interrupted; "), "\(terminal.screen)")
    // The broker may have them before its confirms are here.
    let isCounted = terminal.screen.first?.contains("submitted 40") == true
    #expect(isCounted || line.contains("40 more jobs may be submitted"), "\(terminal.screen)")
    #expect(terminal.screen.last == "", "the shell goes on in a line of its own")
  }

  @Test("a command about many jobs says how many they are, and asks; whoever does not say yes changes nothing")
  func asks() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let jobs = try await system.submit(3, #"{"kind": "noop"}"#)
    let kind = ["cancel", "-k", "noop", "-d", "work"]
    for (command, answer) in [(["cancel", "--all"], "n\n"), (["reset"], "\n"), (kind, "\u{4}")] {
      let ended = try await self.answer(answer, to: command, system)
      #expect(ended.status == 2, "\(command) \(ended.screen)")
      // In a line of its own, also where the input ended without one.
      #expect(ended.screen.contains { $0.hasPrefix("teller: nothing was changed") }, "\(ended.screen)")
      try await system.expect(["queued": 3, "cancelled": 0], of: "work")
    }
    let nothing = try system.tellerOnTerminal(["drop", "--all"])
    #expect(try await nothing.end() == 0)
    #expect(nothing.screen.first == "nothing to drop: no failed job is left")
    let ended = try await answer("y\n", to: kind, system)
    print(ended.screen)
    #expect(ended.status == 0)
    #expect(ended.screen.contains { $0.contains("3 cancelled") }, "\(ended.screen)")
    #expect(ended.screen.last == "")
    #expect(Set(try await system.outcomes(of: jobs).values) == ["cancelled"])
    try await coordinator.close()
  }

  private func answer(
    _ answer: String, to command: [String], _ system: TellerSystem
  ) async throws -> (status: Int32, screen: [String]) {
    let terminal = try system.tellerOnTerminal(command)
    let scope = command.contains("noop") ? " of kind noop in department work" : ""
    try await terminal.wait(for: "Cancel all 3 jobs\(scope) (0 held, 3 queued, 0 running)? [y/N]")
    try terminal.type(answer)
    return (try await terminal.end(), terminal.screen)
  }
}
