import CoordinatorSettings
import Foundation
import JobModel
import Teller
import TestSupport
import Testing

@testable import TellerCLI

@Suite("What `teller config check` says")
struct SettingsTextTests {
  private let folder: TemporaryFolder
  private let file: String

  init() throws {
    folder = try TemporaryFolder()
    file = folder.appending("teller.yaml").path
  }

  private func load(_ yaml: String) throws -> ProcessSettings {
    try Data(yaml.utf8).write(to: URL(filePath: file))
    return try ProcessSettings.load(file: file, environment: [:])
  }

  @Test("every part of the settings has a line, and the password is in none")
  func lines() throws {
    let settings = try load(
      """
      broker: amqp://boss:secret@localhost/v
      ledger: /var/lib/teller/ledger
      health: "[::1]:8081"
      departments: {mail: , letters: , init: {ordered: true}}
      kinds: {letter: {department: letters}}
      schedules: {nightly: {cron: '@daily', kind: mail}}
      plans: {opening: {department: init, steps: [{name: letters, rank: 1, kind: letter}]}}
      notify: [parked, paused]
      live: [released, accepted]
      rules: {alert: {on: {event: failed, kind: letter}, submit: {kind: mail}}}
      webhooks: {chat: {address_file: /run/chat, format: slack}}
      users: {shop: {role: producer}, ops: {role: operator}}
      """)
    #expect(
      SettingsText.lines(settings) == [
        "file         \(file)", "broker       amqp://boss@localhost:5672/v", "ledger       /var/lib/teller/ledger",
        "health       [::1]:8081", "departments  init, letters, mail, webhook-chat", "kinds        letter",
        "schedules    nightly",
        "plans        opening", "notify       paused,parked", "live         accepted,released", "rules        alert",
        "webhooks     chat",
        "users        ops, shop",
      ])
  }

  @Test("what is not said is told as what it means")
  func defaults() {
    #expect(
      SettingsText.lines(ProcessSettings()) == [
        "file         none", "broker       amqp://guest@127.0.0.1:5672/%2F", "ledger       ./teller.ledger",
        "health       nowhere", "departments  none", "kinds        none", "schedules    none",
        "plans        none",
        "notify       attempt_failed,passed_over,went_back,paused,resumed,parked,rule_failed", "live         none",
        "rules        none",
        "webhooks     none", "users        everybody whom the broker lets in",
      ])
  }

  @Test("as JSON the settings are one object, or the mistakes with their lines; a mistake outside of the file has none")
  func json() throws {
    let settings = try load("departments: {mail: }\nhealth: '127.0.0.1:1'\n")
    #expect(
      try PrintedJSON.text(ConfigCheck(settings)) == """
        {"count":0,"file":"\(file)","mistakes":[],"settings":{"broker":"amqp://guest@127.0.0.1:5672/%2F",\
        "departments":["mail"],"health":"127.0.0.1:1","kinds":[],"ledger":"./teller.ledger","live":[],\
        "notify":["attempt_failed","passed_over","went_back","paused","resumed","parked","rule_failed"],"plans":[],\
        "rules":[],"schedules":[],"webhooks":[]}}
        """)
    try Data("departments: {mail: }\nlegder: x\n".utf8).write(to: URL(filePath: file))
    let wrong = try #require(
      #expect(throws: WrongSettings.self) {
        try ProcessSettings.load(file: file, isForCoordinator: true, environment: ["TELLER_HEALTH": "here"])
      })
    let text = try PrintedJSON.text(ConfigCheck(wrong))
    #expect(text.hasPrefix(#"{"count":2,"file":"\#(file)","mistakes":[{"line":2,"problem":"unknown key"#))
    #expect(text.contains(#"{"line":null,"problem":"TELLER_HEALTH: "#))
  }
}
