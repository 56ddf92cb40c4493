import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("A view that goes on", .serialized)
struct LiveViewTests {
  private static let begin = "\u{1B}[?1049h\u{1B}[?25l"
  private static let end = "\u{1B}[?25h\u{1B}[?1049l"
  /// The runner of the tests may have set NO_COLOR for itself.
  private static let colorful = ["/usr/bin/env", "--unset=NO_COLOR"]

  @Test(
    "status --watch draws on one place, follows the terminal's size and a lost coordinator, and gives the terminal back"
  )
  func status() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let terminal = try system.tellerOnTerminal(["status", "-w", "--interval", "200ms"])
    try await terminal.waitForFrame("nothing waits") { $0.contains { $0.hasPrefix("work ") && $0.contains("0") } }
    #expect(terminal.text.hasPrefix(Self.begin))
    _ = try await system.submit(3, #"{"kind": "noop"}"#)
    try await terminal.waitForFrame("three jobs wait") { lines in
      lines.contains { line in
        let words = line.split(separator: " ")
        return words.first == "work" && words.count > 2 && words[2] == "3"
      }
    }
    try terminal.resize(columns: 30, rows: 6)
    let small = try await terminal.waitForFrame("it fits into the smaller terminal") { lines in
      lines.count == 6 && lines.allSatisfy { $0.count < 30 }
    }
    #expect(small.last?.hasSuffix("more lines") == true, "\(small)")
    try terminal.resize(columns: 100, rows: 24)

    try await coordinator.close()
    let lost = try await terminal.waitForFrame("the lost coordinator is told of") { lines in
      lines.first?.contains("no answer") == true && lines.contains { $0.hasPrefix("DEPARTMENT") }
    }
    print(lost.joined(separator: "\n"))
    let next = try await system.startCoordinator()
    try await terminal.waitForFrame("it goes on with the next coordinator") { $0.first?.contains("no answer") == false }
    try terminal.type("\u{3}")
    #expect(try await terminal.end() == 130, "\(terminal.text)")
    #expect(terminal.text.hasSuffix(Self.end), "\(terminal.text.suffix(80))")
    try await next.close()
  }

  @Test("gives the terminal back when it is stopped by Ctrl-Z, takes it again with fg, and gives it back at Ctrl-\\")
  func suspended() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    // A shell with jobs: it says when the command has stopped, and then lets it go on.
    let shell = ["/usr/bin/env", "bash", "-mc", #""$@"; echo "stopped: $?"; fg >/dev/null"#, "bash"]
    let terminal = try system.tellerOnTerminal(["status", "-w", "--interval", "200ms"], environment: shell)
    let isShown = { (lines: [String]) in lines.contains { $0.hasPrefix("work ") } }
    try await terminal.waitForFrame("it is drawn", where: isShown)
    try terminal.type("\u{1A}")
    try await terminal.wait(for: "stopped: 148")
    let untilStopped = try #require(terminal.text.components(separatedBy: "stopped: 148").first)
    #expect(untilStopped.contains(Self.end), "not given back before the shell goes on: \(untilStopped.suffix(80))")
    try await eventually("it draws again", within: TellerSystem.limit, lastState: { terminal.text }) {
      let since = terminal.text.components(separatedBy: "stopped: 148").last ?? ""
      return since.contains(Self.begin) && since.contains("work ")
    }
    try terminal.type("\u{1C}")
    #expect(try await terminal.end() == 130, "\(terminal.text)")
    #expect(terminal.text.contains(Self.end), "\(terminal.text.suffix(80))")
    #expect(terminal.text.components(separatedBy: Self.end).count == 3, "\(terminal.text.suffix(80))")
    try await coordinator.close()
  }

  @Test("jobs --watch shows as many of the newest jobs as fit")
  func jobs() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let ids = try await system.submit(30, #"{"kind": "noop"}"#)
    let terminal = try system.tellerOnTerminal(["jobs", "-w", "-s", "queued", "--interval", "200ms"])
    let full = try await terminal.waitForFrame("it is full") { $0.count == 24 }
    let newest = try #require(ids.last)
    #expect(full[2].hasPrefix("JOB ") && full[3].hasPrefix(newest), "\(full)")
    #expect(!full.contains { $0.contains("more lines") })
    #expect(try await system.teller("cancel", "--all", "--yes").status == 0)
    try await terminal.waitForFrame("no job is queued any more") { $0.count == 3 }
    try terminal.type("\u{3}")
    #expect(try await terminal.end() == 130, "\(terminal.text)")
    try await coordinator.close()
  }

  @Test("in a pipe each answer follows the last one: blocks with the time above, or one object a line")
  func piped() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let json = try system.launch("teller", ["status", "-w", "--json", "--interval", "100ms"])
    let plain = try system.launch("teller", ["status", "--watch", "--interval", "100ms"])
    try await eventually("three answers each", within: TellerSystem.limit, lastState: { system.logs }) {
      json.text(of: .standardOutput).count >= 3
        && plain.text(of: .standardOutput).filter { $0.hasPrefix("coordinator ") }.count >= 3
    }
    for command in [json, plain] {
      command.signal(SIGINT)
      #expect(try await command.waitForExit(within: TellerSystem.limit) == 130)
      #expect(!command.text(of: .standardOutput).joined().contains("\u{1B}"))
    }
    for line in json.text(of: .standardOutput) {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: any Sendable]
      #expect(object?["departments"] != nil, "\(line)")
    }
    let blocks = plain.text(of: .standardOutput).split(separator: "")
    #expect(blocks.contains { $0.first?.wholeMatch(of: /\d{4}-\d\d-\d\dT[\d:.]+Z/) != nil }, "\(blocks)")
    try await coordinator.close()
  }

  @Test("colours are on a terminal alone, and not there with NO_COLOR, TERM=dumb or --color never")
  func colors() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    _ = try await system.submitOne("noop", "--delay", "1h")
    let held = "\u{1B}[33mheld (schedule)\u{1B}[0m"
    let choices: [(environment: [String], options: [String], isOn: Bool)] = [
      (["TERM=xterm"], [], true), (["TERM=xterm", "NO_COLOR=1"], [], false), (["TERM=dumb"], [], false),
      (["TERM=xterm"], ["--color", "never"], false), (["NO_COLOR=1"], ["--color=always"], true),
    ]
    for (environment, options, isOn) in choices {
      let terminal = try system.tellerOnTerminal(
        ["jobs"] + options, environment: Self.colorful + environment)
      #expect(try await terminal.end() == 0, "\(terminal.text)")
      #expect(terminal.text.contains(held) == isOn, "\(environment) \(options): \(terminal.text)")
    }
    #expect(try await system.teller("jobs").lines.joined().contains("\theld (schedule)\t"))
    #expect(try await system.teller("jobs", "--color", "always").lines.joined().contains("\t\(held)\t"))

    let wrong = try system.tellerOnTerminal(["jobs", "--state", "x"], environment: Self.colorful + ["TERM=xterm"])
    #expect(try await wrong.end() == 64)
    #expect(wrong.text.hasPrefix("\u{1B}[31mteller:\u{1B}[0m "), "\(wrong.text)")
    try await coordinator.close()
  }

  @Test("a shell is offered departments and kinds; without a coordinator nothing, and soon")
  func completion() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    _ = try await system.submit(1, #"{"kind": "noop"}"#)
    #expect(
      try await offered(["jobs", "--", "--department", "1", "0", "jobs", "--department"], system) == [
        "init", "other", "work",
      ])
    #expect(try await offered(["submit", "--", "positional@0", "1", "0", "submit"], system) == ["noop"])
    try await coordinator.close()
    #expect(try await offered(["jobs", "--", "--kind", "1", "0", "jobs", "--kind"], system).isEmpty)
    #expect(try await offered(["jobs", "--", "-d", "1", "0", "--broker", "amqp://127.0.0.1:1/"], system).isEmpty)
  }

  /// What a shell is offered at once, without a word on standard error. The coordinator may need more than half a second on
  /// a busy machine, so that is asked again where something is to be offered.
  private func offered(_ words: [String], _ system: TellerSystem) async throws -> [String] {
    let deadline = ContinuousClock.now + TellerSystem.limit
    while true {
      let ended = try await system.run("teller", ["---completion"] + words)
      #expect(ended.status == 0 && ended.errors.isEmpty, "\(ended)")
      let names = ended.lines.filter { !$0.isEmpty }
      if !names.isEmpty || ContinuousClock.now > deadline || words[2] == "--kind" || words[2] == "-d" { return names }
    }
  }
}
