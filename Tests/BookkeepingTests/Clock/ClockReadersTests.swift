import TestSupport
import Testing

/// A decision gets its time as a value: no test of decisions waits for a clock, and none fails on a busy machine. The ids of
/// new jobs have the machine's time in them: what asks an id for its age counts in tens of minutes.
@Suite("Who reads a clock")
struct ClockReadersTests {
  /// What reads a clock, or waits for one.
  private static let reads = [
    #"\b(?:ContinuousClock|SuspendingClock|SessionClock|DispatchTime|CFAbsoluteTime)\b"#,
    #"\b(?:Timestamp|Date|MachineTime|Uptime)\.now\b"#, #"(?:^|[^\w)\]])\.now\b"#, #"\bDate\(\)"#,
    #"\b(?:clock_gettime|gettimeofday|clock_nanosleep|usleep|nanosleep)\b"#, #"\btime\(n(?:il|ull)"#,
    #"\bTask\.sleep\b"#, #"SinceNow\b"#, #"(?:^|[^\w)\]])\.continuous\b"#,
    // A health board reads the clock for whoever does not hand it a moment.
    #"\bboard\.(?:snapshot\b|begin\(|renew\([^,()]*\))"#,
  ]
  /// What would have the clock of the system in a test.
  private static let system = [
    #"\bMachineClock\.system\b"#, #"clock: \.system\b"#, #"\b(?:Outbox|SessionSignals)\(\)"#,
  ]

  /// What reads a clock where nobody calls it: a default argument, or the first value of a property with a type.
  private static let defaults =
    #":\s*(?:any )?(?:\w+\.)*[A-Z]\w*\??\s*=\s*(?:(?:ContinuousClock|SuspendingClock|SessionClock)\b"#
    + #"|(?:Timestamp|Date|MachineTime|Uptime)\.now\b|Date\(\)|\.(?:now|system|continuous)\b)"#

  /// Where the books get their clock from, and this.
  private static let exceptions: Set = [
    "Sources/Bookkeeping/Books/MachineClock.swift", "Tests/BookkeepingTests/Clock/ClockReadersTests.swift",
  ]

  private func readers(in folder: String, _ patterns: [String]) throws -> [String] {
    try SourceFile.all(in: folder).flatMap { file in
      let path = "\(folder)/\(file.path)"
      if Self.exceptions.contains(path) { return [String]() }
      return try patterns.flatMap { try file.matches(of: $0) }.map { "\(path): \($0)" }
    }
  }

  @Test("no decision, and nothing of the books but one file", arguments: ["Sources/Decisions", "Sources/Bookkeeping"])
  func sources(folder: String) throws {
    #expect(try readers(in: folder, Self.reads) == [])
  }

  @Test("no test of them", arguments: ["Tests/DecisionsTests", "Tests/BookkeepingTests", "Tests/BooksSupport"])
  func tests(folder: String) throws {
    #expect(try readers(in: folder, Self.reads + Self.system) == [])
  }

  /// A test that leaves out an argument does not show that it reads a clock.
  @Test("no default argument of what they call, but one that each of them has to hand in")
  func hiddenClocks() throws {
    let folders = ["JobModel", "JobTransport", "Decisions", "Bookkeeping", "Ledger"].map { "Sources/\($0)" }
    let found = try folders.flatMap { folder in
      try SourceFile.all(in: folder).filter { try !$0.matches(of: Self.defaults).isEmpty }.map {
        "\(folder)/\($0.path)"
      }
    }
    // See `system`.
    #expect(found == ["Sources/Bookkeeping/Telling/Outbox.swift"])
  }

  @Test(
    "such a default argument is noticed, on whatever line it stands",
    arguments: [
      "func decode(now: Timestamp = .now()) {", "init(since start: Duration = SessionClock.now) {",
      "init(clock: MachineClock = .system, ", "var began: ContinuousClock.Instant = .now", "f(at: Date? = Date())",
      "f(\n  at moment: Timestamp =\n    Timestamp.now()\n)",
    ])
  func noticedDefaults(text: String) throws {
    #expect(try !SourceFile(path: "a", text: text).matches(of: Self.defaults).isEmpty)
  }

  @Test(
    "a default argument that is a value is none",
    arguments: [
      "f(at now: Timestamp)", "case .first: last = .now", "f(route: Route = .nowhere)", "let now: Duration = clock.now",
    ])
  func defaultValues(text: String) throws {
    #expect(try SourceFile(path: "a", text: text).matches(of: Self.defaults).isEmpty)
  }

  @Test(
    "whatever way it is read in is noticed",
    arguments: [
      "let start = ContinuousClock.now", "let time = Timestamp.now() + .seconds(1)", "lookAtClock(.now() + span)",
      "let now: Timestamp = .now()", "begin(at: .now)", "let date = Date()", "Date.now.formatted()",
      "try await Task.sleep(for: .seconds(1))", "clock_gettime(CLOCK_MONOTONIC, &time)", "time(nil)",
      "Date(timeIntervalSinceNow: 1)", "Outbox()", "Bookkeeper(ledger: l, clock: .system)",
      "AsyncTimerSequence(interval: i, clock: .continuous)", "let (signs, now) = board.snapshot",
      "board.renew(HealthPart.ledger)", "board.begin(HealthPart.intake)",
    ])
  func noticed(line: String) throws {
    let file = SourceFile(path: "a", text: line)
    #expect(try !(Self.reads + Self.system).allSatisfy { try file.matches(of: $0).isEmpty })
  }

  @Test(
    "a time that is a value is none",
    arguments: [
      "books.now + .seconds(1)", "parts.time.now", "f(now: now) // .now()", "board.renew(HealthPart.ledger, at: now)",
    ])
  func values(line: String) throws {
    let file = SourceFile(path: "a", text: line)
    #expect(try Self.reads.allSatisfy { try file.matches(of: $0).isEmpty })
  }
}
