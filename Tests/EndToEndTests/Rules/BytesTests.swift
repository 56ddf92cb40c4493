import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("Bytes from the producer to the job of a rule")
struct BytesTests {
  private static let rules = """
    rules:
      mail:
        on: {event: [succeeded, failed], kind: noop}
        submit: {kind: gate, department: other, key: "mail-${payload.order}", payload: {order: "${payload.order}"}}

    """

  @Test("orders that differ in their bytes are mails of their own; what cannot be read is rule_failed, and no mail")
  func orders() async throws {
    let system = try await TellerSystem.onSharedBroker(departments: "work: {}, other: {}", more: Self.rules)
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=4")
    let orders = ["18446744073709551614", "18446744073709551615", "1.10", "1.1"]
    var jobs: [String] = []
    for order in orders { jobs.append(try await system.submitOne("noop", "--payload", #"{"order": \#(order)}"#)) }
    let unreadable: [[UInt8]] = [
      Array(#"{"order":1,"x":"\ud800"}"#.utf8), Array("{\"order\":1,\"x\":\"\t\"}".utf8),
      Array("{\"order\":1,\"x\":\"\0\"}".utf8), Array(#"{"order":1,"x":""#.utf8) + [0xFF] + Array(#""}"#.utf8),
      Array((String(repeating: "[", count: 600) + String(repeating: "]", count: 600)).utf8), Array("order".utf8), [],
      Array(#"{"order":1,"order":2}"#.utf8), Array(#"{"order":null}"#.utf8),
    ]
    let file = system.folder.appending("payload")
    for payload in unreadable {
      try Data(payload).write(to: file)
      jobs.append(try await system.submitOne("noop", "--payload-file", file.path, "--attempts", "1"))
    }
    _ = try await system.outcomes(of: jobs)
    let mails = try await system.ask("jobs", "--kind", "gate", "--json").objects
    #expect(Set(mails.compactMap { $0["key"] as? String }) == Set(orders.map { "mail-\($0)" }), "\(mails)")
    #expect(mails.count == orders.count)
    for mail in mails {
      let key = try #require(mail["key"] as? String)
      let payload = try await system.ask("show", try #require(mail["id"] as? String), "--payload").lines
      #expect(payload == [#"{"order":\#(key.dropFirst("mail-".count))}"#])
    }
    let watch = try system.launch("teller", ["watch", "--since", "start", "--event", "rule_failed", "--json"])
    try await eventually("each is told", within: TellerSystem.limit, lastState: { system.logs }) {
      watch.text(of: .standardOutput).count { $0.contains("rule_reference") } == unreadable.count
    }
    for process in [watch, worker, coordinator] { try await process.close() }
  }

  @Test("a payload, a key and an error write no command to a terminal; a pipe gets the bytes")
  func terminal() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let file = system.folder.appending("payload")
    try Data("a\u{1B}[2Jb\u{202E}c\n".utf8).write(to: file)
    let job = try await system.submitOne("noop", "--payload-file", file.path, "--key", "k\u{202E}\u{200B}")
    #expect(try await system.ask("show", job, "--payload").lines == ["a\u{1B}[2Jb\u{202E}c"])
    for (arguments, shown) in [
      (["show", job, "--payload"], "a⟨U+001B⟩[2Jb⟨U+202E⟩c"), (["show", job], "k⟨U+202E⟩⟨U+200B⟩"),
      (["show", job, "--json"], #"k\u202e\u200b"#), (["jobs", "--json"], #"k\u202e\u200b"#),
    ] {
      let terminal = try system.tellerOnTerminal(arguments)
      #expect(try await terminal.end() == 0)
      #expect(terminal.text.contains(shown), "\(arguments): \(terminal.text.debugDescription)")
      #expect(!terminal.text.contains("\u{1B}[2J") && !terminal.text.unicodeScalars.contains("\u{202E}"))
    }
    try await coordinator.close()
  }

  @Test("arguments that are not UTF-8 are refused, and not repaired")
  func arguments() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let shell = try system.launch(
      URL(filePath: "/bin/sh"), named: "not UTF-8",
      ["-c", #"exec "$0" submit noop --key "$(printf 'k\377')""#, BuiltProducts.url("teller").path])
    shell.closeInput()
    #expect(try await shell.waitForExit(within: TellerSystem.limit) == 64)
    #expect(shell.text(of: .standardError).joined().contains("argument 4 is not UTF-8"))
  }
}
