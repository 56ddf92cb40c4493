import Decisions
import Foundation
import JobModel
import Testing

@testable import CoordinatorSettings

@Suite("teller.yaml: schedules, limits, retries, retention")
struct ConfigurationSettingsTests {
  private func read(_ yaml: String) throws -> CoordinatorConfiguration {
    try CoordinatorSettingsTests.settings(yaml).coordinator
  }

  @Test("a schedule is read with all that it says; they are sorted by name")
  func schedule() throws {
    let configuration = try read(
      """
      departments: {reports: {}, report: {}}
      schedules:
        nightly:
          cron: "0 3 * * MON-FRI"
          timezone: Europe/Berlin
          kind: report
          department: reports
          payload: {month: 3, all: true, "of": ["5", 0.5, null, no]}
          priority: 7
          attempts: 1
          missed: all
        hourly: {cron: '@hourly', kind: report}
      """)
    let payload = try JSONText(Array(#"{"month":3,"all":true,"of":["5",0.5,null,"no"]}"#.utf8))
    let schedules = configuration.schedules
    #expect(schedules.map(\.name) == ["hourly", "nightly"])
    #expect(schedules.map(\.timeZone.name) == ["UTC", "Europe/Berlin"])
    #expect(schedules.map(\.missed) == [.once, .all])
    #expect(schedules.map(\.payload) == [nil, payload])
    #expect(schedules.map(\.kind) == ["report", "report"])
    #expect(schedules.map(\.department) == [nil, "reports"])
    #expect(schedules.map(\.priority) == [nil, 7])
    #expect(schedules.map(\.attempts) == [nil, 1])
    #expect(schedules.map(\.expression.description) == ["@hourly", "0 3 * * MON-FRI"])
  }

  @Test("a schedule's kind may have its department under kinds")
  func departmentOfKind() throws {
    let configuration = try read(
      """
      schedules: {nightly: {cron: '@daily', kind: report}}
      kinds: {report: {department: office}}
      departments: {office: {}}
      """)
    #expect(configuration.schedules.map(\.department) == [nil])
  }

  static let payloads: [(yaml: String, json: String)] = [
    ("", "null"), ("~", "null"), ("null", "null"), ("'null'", #""null""#), ("5", "5"), ("-5", "-5"), ("'5'", #""5""#),
    ("!!str 5", #""5""#), ("!!str 0x1F", #""0x1F""#), ("1e3", "1e3"), ("1.50", "1.50"), ("1.10", "1.10"), ("-0", "-0"),
    ("18446744073709551615", "18446744073709551615"), ("1e400", "1e400"), ("0.1e-7", "0.1e-7"),
    ("12:30", #""12:30""#), ("2026-01-02", #""2026-01-02""#), ("2026-01-02T03:04:05Z", #""2026-01-02T03:04:05Z""#),
    ("yes", #""yes""#), ("no", #""no""#), ("off", #""off""#), ("True", "true"), ("1.2.3", #""1.2.3""#),
    ("10.0.0.1", #""10.0.0.1""#), ("'0x1F'", #""0x1F""#), (#""1_000""#, #""1_000""#), ("e", #""e""#),
    ("nan", #""nan""#), ("[]", "[]"), ("{}", "{}"), ("{1: a, 1.10: b, null: c}", #"{"1":"a","1.10":"b","null":"c"}"#),
    ("[&a {x: 1.0}, *a]", #"[{"x":1.0},{"x":1.0}]"#), ("{z: 1, a: 2}", #"{"z":1,"a":2}"#),
    ("|\n      line\n      5\n", #""line\n5\n""#), (">\n      a\n      b\n", #""a b\n""#),
    (#""a\tb\u0007\"é""#, #""a\u0009b\u0007\"é""#), ("{e\u{301}: 1, é: 2}", "{\"e\u{301}\":1,\"é\":2}"),
  ]

  @Test(
    "a payload is written as JSON has it; numbers stay as they are, and members in their order", arguments: payloads)
  func payload(yaml: String, json: String) throws {
    let configuration = try read(
      "departments: {k: {}}\nschedules:\n  s:\n    cron: '@daily'\n    kind: k\n    payload: \(yaml)")
    #expect(
      configuration.schedules.first?.payload.map {
        String(decoding: $0.bytes, as: UTF8.self).utf8.elementsEqual(json.utf8)
      } == true)
  }

  @Test(
    "what is a number in one version of YAML, and none in JSON, is refused with its line",
    arguments: [
      "0x1F", "0o17", "017", "089", "0b11", "1_000", "+1", ".5", "5.", "1.e3", ".inf", "-.INF", ".nan", "1_0.5",
      "!!int '5'", "!!binary aGk=", "!own 5", "!!set {a, b}", "{<<: {a: 1}}", "{a: 1, a: 2}",
    ])
  func unclear(yaml: String) {
    let text =
      "departments: {k: {}}\nschedules:\n  s:\n    cron: '@daily'\n    kind: k\n    payload:\n      - \(yaml)\n"
    #expect(mistakes(in: text).first.first?.line == 7, "\(yaml): \(mistakes(in: text).first)")
  }

  @Test("a payload lies as deep as JSON may, and no deeper")
  func depth() throws {
    let yaml = { (levels: Int) in
      "departments: {k: {}}\nschedules:\n  s: {cron: '@daily', kind: k, payload: "
        + String(repeating: "[", count: levels) + String(repeating: "]", count: levels) + "}\n"
    }
    #expect(mistakes(in: yaml(JSONScanner.deepest)).first.isEmpty)
    #expect(
      mistakes(in: yaml(JSONScanner.deepest + 1)).first.first?.problem.contains("\(JSONScanner.deepest) levels") == true
    )
  }

  @Test("caps, time limits, retries, retention and the worth of a priority are read")
  func settings() throws {
    let configuration = try read(
      """
      departments: {mail: {cap: 3, window: 10}, sms: {ahead: 2}, fax: {cap: 1, ahead: 0}}
      kinds:
        send:
          timeout: 90s
          start_within: 2d
          retry: {first: 500ms, factor: 1.5, max: 1h, jitter: 0}
        slow: {retry: {first: 30m}}
        plain: {retry: }
      retention: {time: 7d, size: "2GB", subscribers: 90d}
      priority_worth: 5m
      after_restore: run
      """)
    #expect(
      configuration.departments == [
        "mail": DepartmentSettings(window: 10, cap: 3), "sms": DepartmentSettings(ahead: 2),
        "fax": DepartmentSettings(cap: 1),
      ])
    let retry = RetrySettings(first: .milliseconds(500), factor: 1.5, longest: .seconds(3_600), jitter: 0)
    #expect(
      configuration.kinds == [
        "send": KindSettings(timeout: .seconds(90), startWithin: .seconds(172_800), retry: retry),
        "slow": KindSettings(retry: RetrySettings(first: .seconds(1_800), longest: .seconds(1_800))),
        "plain": KindSettings(),
      ])
    #expect(configuration.afterRestore == .run)
    #expect(
      configuration.retention
        == RetentionSettings(
          time: .seconds(604_800), size: 2_000_000_000, subscribers: .seconds(90 * 86_400)))
    #expect(configuration.priorityWorth == .seconds(300))
  }

  @Test("users are read with any name that a broker knows, and with their departments or for all")
  func users() throws {
    let configuration = try read(
      """
      departments: {mail: , post: }
      users:
        w@host.example: {role: submitting-worker, departments: [mail, post]}
        ops: {role: operator}
      """)
    #expect(
      configuration.access.users == [
        "w@host.example": UserSettings(role: .submittingWorker, departments: ["mail", "post"]),
        "ops": UserSettings(role: .operator),
      ])
    #expect(try read("departments: {mail: }").access.users == nil)
  }

  @Test("what is not said has its default")
  func defaults() throws {
    let configuration = try read("kinds: {k: {retry: {jitter: 50}}}\nretention:\nschedules:\n")
    #expect(configuration.priorityWorth == .seconds(600))
    #expect(configuration.retention == CoordinatorConfiguration().retention)
    // The rest is as if the key of the subscribers were not there.
    let short = try read("retention: {subscribers: 1h}").retention
    #expect(short == RetentionSettings(time: .seconds(604_800), subscribers: .seconds(3_600)))
    #expect(try read("retention: {size: 1GB}").retention.time == nil)
    #expect(configuration.schedules.isEmpty)
    let retry = RetrySettings(first: .seconds(1), factor: 2, longest: .seconds(600), jitter: 0.5)
    #expect(configuration.kinds["k"]?.retry == retry)
    #expect(RetrySettings().jitter == 0.2)
  }

  @Test("a duration is shown as people write it", arguments: ["1500ms", "45s", "2m", "1h", "24h", "2d", "0ms", "25h"])
  func durations(text: String) {
    #expect(Duration(written: text)?.written == text)
  }
}
