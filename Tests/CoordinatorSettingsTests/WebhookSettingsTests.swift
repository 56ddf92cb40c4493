import Decisions
import Foundation
import JobModel
import TestSupport
import Testing

@testable import CoordinatorSettings

@Suite("The webhooks of the settings")
struct WebhookSettingsTests {
  private let start = "departments: {counter: {}}\nwebhooks:\n"

  /// The one mistake of the text is on that line, its text has the word, and nothing that is hidden.
  private func expectOne(_ yaml: String, line: Int, _ word: String) throws {
    var mistakes = Mistakes()
    _ = ConfigurationFile(yaml: yaml, &mistakes)
    let mistake = try #require(mistakes.first.first, "no mistake in \(yaml)")
    #expect(mistakes.count == 1, "\(mistakes.first)")
    #expect(mistake.line == line, "\(mistake.problem)")
    #expect(mistake.problem.contains(word), "\(mistake.problem)")
    #expect(!mistake.problem.contains("hidden"))
  }

  @Test("one that says everything")
  func everything() throws {
    let settings = try settings(
      start + """
          ops:
            address: https://Hooks.example.com/x
            format: json
            secret_file: /run/ops
            previous_secret_file: /run/ops.old
            on: {event: [failed], department: [counter], kind: [deposit]}
            limits: {time: 5s, concurrency: 2, response: 8KB}
            allow: [10.0.0.0/8, inside.example]
            attempts: 7
            retry: {first: 1s, factor: 2, max: 1m, jitter: 0}
        """)
    let webhook = try #require(settings.coordinator.webhooks["ops"])
    #expect(webhook.place == .address(try WebhookAddress("https://hooks.example.com/x")))
    #expect(webhook.format == .json)
    #expect((webhook.secretFile, webhook.previousSecretFile) == ("/run/ops", "/run/ops.old"))
    #expect(webhook.filter == EventFilter(events: ["failed"], departments: ["counter"], kinds: ["deposit"]))
    #expect(webhook.limits == WebhookSettings.Limits(time: .seconds(5), concurrency: 2, response: 8_000))
    #expect(
      webhook.allowed
        == AllowedDestinations(networks: [try #require(IPNetwork("10.0.0.0/8"))], hosts: ["inside.example"]))
    #expect(webhook.attempts == 7)
    #expect(webhook.retry == RetrySettings(first: .seconds(1), factor: 2, longest: .seconds(60), jitter: 0))
  }

  @Test("one that says little: about a day of attempts, from seconds to an hour")
  func defaults() throws {
    let settings = try settings(start + "  chat: {address_file: /run/chat, format: slack}\n")
    let webhook = try #require(settings.coordinator.webhooks["chat"])
    #expect(webhook == WebhookSettings(place: .file("/run/chat"), format: .slack))
    let waits = (1..<webhook.attempts).map { webhook.retry.delay(afterAttempt: $0, random: 0.5) }
    #expect(waits.first == .seconds(5))
    #expect(waits.max() == .seconds(3_600))
    #expect((80_000...100_000).contains(waits.reduce(.zero, +) / .seconds(1)))
  }

  @Test("each is a department, which users may have, with as many tellers in all as it allows")
  func department() throws {
    let settings = try settings(
      "users: {sender: {role: worker, departments: [webhook-chat]}}\n" + start
        + "  chat: {address_file: /run/chat, format: slack, limits: {concurrency: 3}}\n")
    #expect(settings.coordinator.departments["webhook-chat"] == DepartmentSettings(cap: 3))
  }

  @Test(
    "mistakes are told with their lines, and never with an address",
    arguments: [
      ("{address: 'ftp://hidden.example/'}", "begin with https:// or http://"),
      ("{address: 'https://u:hidden@a.example/'}", "it has a user or a password"),
      ("{format: json}", "needs \"address\" or \"address_file\""),
      ("{address: 'https://a.example/', address_file: x}", "keep one of them"),
      ("{address: 'https://a.example/', format: xml}", "is none of json, slack"),
      ("{address: 'https://a.example/hidden', format: slack, secret_file: x}", "Slack reads no signature"),
      ("{address: 'http://10.0.0.1/hidden'}", "10.0.0.1 is a private address"),
      ("{address: 'http://[::1]/hidden'}", "::1 is an address of this machine"),
      ("{address: 'https://a.example/', allow: [10.0.0.1/8]}", "is neither the name of a machine nor a network"),
      ("{address: 'https://a.example/', allow: 10.0.0.0/8}", "must be a list of networks and names"),
      ("{address: 'https://a.example/', limits: {time: 1h}}", "is not between"),
      ("{address: 'https://a.example/', limits: {concurrency: 0}}", "is not between 1 and 100"),
      ("{address: 'https://a.example/', limits: {response: 2GB}}", "it is not between 1KB and 1MB"),
      ("{address: 'https://a.example/', attempts: 101}", "is not between 1 and 100"),
      ("{address: 'https://a.example/', retry: {first: 1m, max: 1s}}", "shorter than the first wait"),
      ("{address: 'https://a.example/', on: {department: [conter]}}", "there is no department \"conter\""),
      ("{address: 'https://a.example/', on: {event: [a b]}}", "is no event"),
      ("{address: 'https://a.example/', scret_file: x}", "did you mean \"secret_file\"?"),
    ])
  func mistakes(webhook: String, word: String) throws {
    let needsSecret = !webhook.contains("secret_file") && !webhook.contains("slack") && !webhook.contains("xml")
    let with = needsSecret ? webhook.replacing("{", with: "{secret_file: /run/x, ", maxReplacements: 1) : webhook
    try expectOne(start.replacing("\n", with: "\n\n") + "  ops: \(with)\n", line: 5, word)
  }

  @Test("a webhook of JSON is signed")
  func unsigned() throws {
    try expectOne(start + "  ops: {address: 'https://a.example/'}\n", line: 3, "needs \"secret_file\"")
  }

  @Test("nobody else declares its department or its kind")
  func declaredTwice() throws {
    let chat = "webhooks:\n  chat: {address_file: /run/chat, format: slack}\n"
    try expectOne(chat + "departments: {webhook-chat: {}}\n", line: 3, "is the department of the webhook")
    try expectOne(
      chat + "departments: {counter: {}}\nkinds: {webhook: {department: counter}}\n", line: 4, "is the kind of")
  }

  @Test("each counts among the rules, of which there is a limit")
  func tooManyRules() throws {
    let rules = (1...Rule.limit).map { "  r\($0): {on: {event: failed, kind: login}, submit: {kind: counter}}\n" }
    let chat = "webhooks:\n  chat: {address_file: /run/chat, format: slack}\n"
    let rest = "departments: {counter: {}}\nrules:\n" + rules.joined()
    try expectOne(chat + rest, line: 2, "at most 100 rules, those of webhooks among them, not 101")
  }

  @Test("a name leaves room for that of the department")
  func longName() throws {
    let name = String(repeating: "x", count: 93)
    try expectOne(start + "  \(name): {address_file: x, format: slack}\n", line: 3, "at most 92 characters")
  }
}

@Suite("The files of webhooks")
struct WebhookLoadingTests {
  private let folder: TemporaryFolder
  private let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  init() throws { folder = try TemporaryFolder() }

  private func write(_ text: String, to name: String) throws -> String {
    let file = folder.appending(name)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  private func load(_ webhooks: String) throws -> [Webhook] {
    let file = try write("departments: {counter: {}}\nwebhooks:\n" + webhooks, to: "teller.yaml")
    return try ProcessSettings.webhooks(file: file, environment: [:]).webhooks
  }

  @Test("come from any editor, and so does teller.yaml", arguments: Editor.allCases)
  func editors(editor: Editor) throws {
    let (secretFile, addressFile) = (folder.appending("secret"), folder.appending("address"))
    let yaml = folder.appending("teller.yaml")
    try Data(editor.save([secret])).write(to: secretFile)
    try Data(editor.save(["https://hooks.slack.com/services/T0/B0/x"])).write(to: addressFile)
    let lines = [
      "departments: {counter: {window: 7}}", "webhooks:",
      "  chat: {address_file: \(addressFile.path), format: slack}",
      "  ops: {address: 'https://a.example/', secret_file: \(secretFile.path)}",
      "plans:", "  opening:", "    department: init", "    steps:", "      - {name: one, rank: 1, payload: {a: x}}",
    ]
    try Data(editor.save(lines)).write(to: yaml)
    let loaded = try ProcessSettings.webhooks(file: yaml.path, environment: [:])
    #expect(loaded.webhooks.map(\.address.url) == ["https://hooks.slack.com/services/T0/B0/x", "https://a.example/"])
    #expect(loaded.webhooks[1].secrets == [try WebhookSecret(secret)])
    #expect(loaded.settings.coordinator.departments["counter"]?.window == 7)
  }

  @Test("are refused by what they are, when they are no text in UTF-8; teller.yaml likewise")
  func refusedByEncoding() throws {
    for (bytes, reason) in Editor.refused([secret]) {
      let file = folder.appending("secret")
      try Data(bytes).write(to: file)
      let wrong = #expect(throws: WrongSettings.self) {
        try load("  ops: {address: 'https://a.example/', secret_file: \(file.path)}\n")
      }
      #expect(wrong?.description.contains(reason) == true)
    }
    for (bytes, reason) in Editor.refused(["departments: {counter: {}}"]) {
      let file = folder.appending("teller.yaml")
      try Data(bytes).write(to: file)
      let wrong = #expect(throws: WrongSettings.self) {
        try ProcessSettings.webhooks(file: file.path, environment: [:])
      }
      #expect(wrong?.description.contains(reason) == true)
    }
  }

  @Test("hold secrets and addresses on their lines")
  func read() throws {
    let (new, old) = (
      try write(secret + "\n", to: "new"), try write("whsec_" + String(repeating: "A", count: 32), to: "old")
    )
    let address = try write("https://hooks.slack.com/services/T0/B0/x\r\nmore", to: "address")
    let webhooks = try load(
      """
        ops: {address: 'https://a.example/', secret_file: \(new), previous_secret_file: \(old)}
        chat: {address_file: \(address), format: slack}
      """)
    #expect(webhooks.map(\.name) == ["chat", "ops"])
    #expect(webhooks[0].address.url == "https://hooks.slack.com/services/T0/B0/x")
    #expect(
      webhooks[1].secrets == [
        try WebhookSecret(secret), try WebhookSecret("whsec_" + String(repeating: "A", count: 32)),
      ])
  }

  @Test("are named with their lines when they cannot be used, and nothing of them is shown")
  func wrong() throws {
    let short = try write("whsec_c2VjcmV0", to: "short")
    let address = try write("https://user:secret@a.example/", to: "address")
    let wrong = try #require(
      #expect(throws: WrongSettings.self) {
        try load(
          """
            a: {address: 'https://a.example/', secret_file: \(folder.appending("none").path)}
            b:
              address: https://a.example/
              secret_file: \(short)
            c: {address_file: \(address), format: slack}
          """)
      })
    let lines = wrong.lines.joined(separator: "\n")
    #expect(wrong.mistakes.first.map(\.line) == [3, 6, 7], "\(lines)")
    #expect(lines.contains("the secret has 6 bytes, and must have 24–64"))
    #expect(lines.contains("it has a user or a password"))
    #expect(!lines.contains("c2VjcmV0") && !lines.contains("secret@"))
  }

  @Test("without webhooks there is nothing to deliver")
  func none() throws {
    let wrong = try #require(#expect(throws: WrongSettings.self) { try load("") })
    #expect(wrong.lines.first?.contains("there are no webhooks") == true)
  }

  @Test("the coordinator needs none of them")
  func coordinator() throws {
    let file = try write(
      "departments: {counter: {}}\nwebhooks:\n  a: {address_file: /no/such/file, format: slack}\n", to: "teller.yaml")
    let settings = try ProcessSettings.load(file: file, isForCoordinator: true, environment: [:])
    #expect(settings.coordinator.webhooks.count == 1)
  }
}
