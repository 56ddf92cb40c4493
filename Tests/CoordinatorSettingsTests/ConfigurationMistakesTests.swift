import Testing

@testable import CoordinatorSettings

@Suite("teller.yaml: mistakes in schedules, limits, retries, retention")
struct ConfigurationMistakesTests {
  /// A schedule after two lines, so that its third is line 5.
  private static func schedule(_ lines: String) -> String {
    "departments: {k: {}}\nschedules:\n  s:\n    kind: k\n    \(lines)"
  }

  static let schedules: [(yaml: String, line: Int, word: String)] = [
    (schedule("cron: 0 3 * *"), 5, "\"cron\": \"0 3 * *\" has 4 fields instead of five: minute, hour"),
    (schedule("cron: '0 24 * * *'"), 5, "hour: 24 is not between 0 and 23"),
    (schedule("cron: '0 0 30 2 *'"), 5, "never comes"),
    (schedule("cron: * * * * *"), 5, "put the cron expression in quotes"),
    (schedule("cron: @daily"), 5, "put the cron expression in quotes"),
    (schedule("cron: [1]"), 5, "\"cron\" must be a text, not a list"),
    (schedule("cron: '@daily'\n    timezone: Europe/Berlni"), 6, "did you mean \"Europe/Berlin\"?"),
    (schedule("cron: '@daily'\n    timezone: Mars/Olympus-Mons"), 6, "no time zone that this machine knows: write"),
    (schedule("cron: '@daily'\n    timezone:"), 6, "no time zone"),
    (schedule("cron: '@daily'\n    timezone: BST"), 6, "\"BST\" is an abbreviation, and not the name of one place"),
    (schedule("cron: '@daily'\n    timezone: BST"), 6, "write Europe/London or Asia/Dhaka"),
    (schedule("cron: '@daily'\n    timezone: europe/berlin"), 6, "did you mean \"Europe/Berlin\"?"),
    (schedule("cron: '@daily'\n    timezone: posix/Europe/Berlin"), 6, "write it without \"posix/\""),
    (schedule("cron: '@daily'\n    missed: never"), 6, "\"never\" is none of skip, once, all"),
    (schedule("cron: '@daily'\n    priority: 10"), 6, "10 is not between 0 and 9"),
    (schedule("cron: '@daily'\n    attempts: 0"), 6, "0 is not between 1 and 100"),
    (schedule("cron: '@daily'\n    department: kk"), 6, "no department \"kk\" under `departments:`"),
    (schedule("cron: '@daily'\n    payload:\n      a: 1\n      [x]: 2"), 8, "a key that is no text"),
    (
      schedule(
        "cron: '@daily'\n    payload: \(String(repeating: "[", count: 514))\(String(repeating: "]", count: 514))"), 6,
      "more than 512 levels"
    ),
    (schedule("cron: '@daily'\n    time_zone: UTC"), 6, "did you mean \"timezone\"? known here: cron, timezone"),
    (schedule("priority: 3"), 4, "\"s\" needs \"cron\""),
    ("departments: {k: {}}\nschedules:\n  s: {cron: '@daily'}", 3, "\"s\" needs \"kind\""),
    ("schedules:\n  s:\n    cron: '@daily'\n    kind: a b", 4, "\"a b\" is not a name"),
    ("schedules:\n  s:\n    cron: '@daily'\n    kind: k", 4, "no department \"k\""),
    (
      "departments: {deposit: }\nschedules:\n  s:\n    cron: '@daily'\n    kind: depsoit", 5,
      "did you mean \"deposit\"?"
    ),
    ("schedules:\n  a b: {}", 2, "\"a b\" is not a name"),
    ("schedules: [a]", 1, "\"schedules\" must hold lines"),
  ]

  static let settings: [(yaml: String, line: Int, word: String)] = [
    (
      "departments:\n  a:\n    windwo: 5", 3,
      "unknown key \"windwo\"; did you mean \"window\"? known here: ordered, window, cap"
    ),
    ("departments:\n  a:\n    cap: 0", 3, "0 is not between 1 and 1000000"),
    ("departments:\n  a:\n    cap: 3\n    ordered: true", 3, "an ordered department has no cap"),
    ("departments:\n  a:\n    ahead: -1", 3, "-1 is not between 0 and 100"),
    ("departments:\n  a:\n    ahead: 101", 3, "101 is not between 0 and 100"),
    ("departments:\n  a:\n    ahead: yes", 3, "ahead"),
    ("departments:\n  a:\n    ahead: 1\n    ordered: true", 3, "an ordered department takes no job ahead"),
    ("departments:\n  a:\n    cap: 2\n    ahead: 1", 4, "a department with a cap takes no job ahead"),
    ("kinds:\n  a:\n    timeout: 500ms", 3, "500ms is not between 1s and 24h"),
    ("kinds:\n  a:\n    timeout: 25h", 3, "25h is not between 1s and 24h"),
    ("kinds:\n  a:\n    timeout: 5", 3, "\"5\" is no duration"),
    ("kinds:\n  a:\n    start_within: 0s", 3, "not between 1s and 365d"),
    ("kinds:\n  a:\n    retry:\n      frist: 1s", 4, "did you mean \"first\"? known here: first, factor, max, jitter"),
    ("kinds:\n  a:\n    retry: 5", 3, "\"retry\" must hold lines"),
    ("kinds:\n  a:\n    retry:\n      first: 2d", 4, "2d is not between 1ms and 24h"),
    ("kinds:\n  a:\n    retry:\n      factor: 0.5", 4, "0.5 is not between 1.0 and 100.0"),
    ("kinds:\n  a:\n    retry:\n      factor: .nan", 4, "\"factor\" must be a number, not \".nan\""),
    ("kinds:\n  a:\n    retry:\n      factor: big", 4, "a number, not \"big\""),
    ("kinds:\n  a:\n    retry:\n      max: 5s\n      first: 10s", 4, "shorter than the first wait of 10s"),
    ("kinds:\n  a:\n    retry:\n      jitter: 101", 4, "101 is not between 0 and 100"),
    ("retention:\n  time: 0s", 2, "not between 1s and 3650d"),
    ("retention:\n  size: 2", 2, "\"2\" is no size: write for example 500MB or 2GB"),
    ("retention:\n  size: 2TB", 2, "is no size"),
    ("retention:\n  size: 0KB", 2, "not between 1KB and"),
    ("retention:\n  size: 9999999999999GB", 2, "not between 1KB and"),
    ("retention:\n  subscribers: 59m", 2, "not between 1h and 3650d"),
    ("retention:\n  siez: 1GB", 2, "did you mean \"size\"?"),
    ("retention: 7d", 1, "\"retention\" must hold lines"),
    ("after_restore: keep", 1, "\"keep\" is none of hold, run"), ("priority_worth: 400d", 1, "not between 1s and 365d"),
    ("priority_wort: 4m", 1, "did you mean \"priority_worth\"?"),
    ("departments: {loan: }\nkinds:\n  a:\n    department: laon", 4, "did you mean \"loan\"?"),
  ]

  static let users: [(yaml: String, line: Int, word: String)] = [
    ("users:\n  shop: {role: prodcer}", 2, "\"prodcer\" is no role; did you mean \"producer\"; there are: worker, "),
    ("users:\n  shop:", 2, "it must be there: worker, submitting-worker, producer, operator, monitor"),
    ("departments: {a: }\nusers:\n  shop: {departments: [a]}", 3, "it must be there"),
    ("users:\n  shop: {role: producer, department: a}", 2, "did you mean \"departments\"?"),
    ("departments: {loan: }\nusers:\n  w: {role: worker, departments: [laon]}", 3, "did you mean \"loan\"?"),
    ("departments: {a: }\nusers:\n  ops:\n    role: operator\n    departments: [a]", 5, "operator has none"),
    ("departments: {a: }\nusers:\n  m: {role: monitor, departments: [a]}", 3, "monitor has none"),
    ("users:\n  w: {role: worker, departments: []}", 2, "name at least one, or leave it out"),
    ("users:\n  w: {role: worker, departments: [a b]}", 2, "is not a name"),
    ("users:", 1, "it names nobody"), ("users: {}", 1, "it names nobody"),
    ("users: [shop]", 1, "\"users\" must hold lines"),
    ("users:\n  '': {role: worker}", 2, "a user's name: 1–255 bytes"),
  ]

  @Test("a mistake is told with its line", arguments: schedules + settings + users)
  func mistake(yaml: String, line: Int, word: String) throws {
    try expectMistake(yaml, line: line, word)
  }

  @Test("a small file cannot hold a payload without end")
  func aliases() {
    let levels = (1...30).map { "      l\($0): &l\($0) [*l\($0 - 1), *l\($0 - 1)]" }
    let payload = "payload:\n      l0: &l0 [a]\n\(levels.joined(separator: "\n"))"
    let mistakes = mistakes(in: Self.schedule("cron: '@daily'\n    \(payload)"))
    #expect(mistakes.first.map(\.problem).contains { $0.contains("larger than a job's may be") }, "\(mistakes)")
  }

  @Test(
    "a URL with a password behind a wrong key is not shown",
    arguments: [
      "lease: URL", "health: URL", "retention: {size: URL}", "kinds: {k: {timeout: URL}}", "users: {u: {role: URL}}",
      "departments: {k: {}}\nschedules: {s: {cron: '@daily', kind: k, timezone: URL}}",
      "departments: {k: {}}\nschedules: {s: {cron: '@daily', kind: k, missed: URL}}",
    ])
  func hidesURL(yaml: String) {
    let found = mistakes(in: yaml.replacing("URL", with: "'amqp://u:secret@h/'")).first.map(\.problem)
    #expect(found.contains { $0.contains("something else is no") })
    #expect(!found.contains { $0.contains("secret") })
  }

  @Test(
    "a number that YAML 1.1 and 1.2 read in two ways, or JSON does not have, is none",
    arguments: ["010", "0x10", "0b11", "0o17", "1_0", "1:30", "+5", "5.", "1e1", ".5", ".inf"])
  func numbers(word: String) throws {
    try expectMistake("departments: {a: {cap: \(word)}}\n", line: 1, "\"cap\" must be a whole number, not")
  }

  @Test(
    "words that only YAML 1.1 takes for true or false are neither", arguments: ["yes", "no", "on", "off", "y", "1"])
  func flags(word: String) throws {
    try expectMistake("departments: {a: {ordered: \(word)}}\n", line: 1, "\"ordered\" must be true or false, not")
  }
}
