import TestSupport
import Testing

@testable import JobModel

/// Two texts that Unicode takes for one: on disk, and for the broker, they are two.
@Suite("Names that Unicode takes for the same")
struct ExactTextTests {
  /// Each type with a text of another program that decides what is meant.
  private static let types: [(name: String, make: @Sendable (String) -> AnyHashable)] = [
    ("ExactText", { ExactText($0) }), ("JobKey", { JobKey(kind: "a", key: $0) }),
    ("SubmissionKey", { SubmissionKey(text: $0) }), ("JobFailure", { JobFailure(code: $0, message: "") }),
    ("WorkerID", { WorkerID($0) }), ("LedgerID", { LedgerID($0) }), ("Reentry.code", { Reentry(on: $0, from: "a") }),
    ("Reentry.from", { Reentry(on: "a", from: $0) }), ("PlanStep", { PlanStep(name: $0, kind: "a", rank: 1) }),
    ("PlanRules.Step", { PlanRules.Step($0, rank: 1) }),
    ("PlanJob", { [id] in PlanJob(id: id, name: $0, rank: 1, round: 1, state: .queued) }),
    ("EventFilter.keys", { EventFilter(keys: [ExactText($0)]) }),
    ("EventFilter.names", { EventFilter(names: [ExactText($0)]) }),
    ("EventFilter.errors", { EventFilter(errors: [ExactText($0)]) }),
    ("ReplyAddress.replyTo", { ReplyAddress(replyTo: $0, correlationID: nil, wait: .outcome) }),
    ("ReplyAddress.correlationID", { ReplyAddress(replyTo: "", correlationID: $0, wait: .outcome) }),
    ("Access.users", { Access(users: [ExactText($0): UserSettings(role: .producer)]) }),
    ("RuleReference", { RuleReference.payload([$0]) }), ("JSONText", { JSONText($0) }),
    ("FailureCounts.Line", { ExactTextTests.line($0) }),
    ("JobNarrowing.error", { JobNarrowing(error: $0) }), ("JobNarrowing.key", { JobNarrowing(key: $0) }),
  ]
  private static let id = JobID()

  /// Texts, each with one that is canonically equivalent and has other bytes.
  private static let pairs = [
    ("\u{E9}", "e\u{301}"), ("\u{212B}", "\u{C5}"), ("\u{AC00}", "\u{1100}\u{1161}"),
    ("a\u{1E9B}\u{323}", "a\u{17F}\u{323}\u{307}"),
    ("a\u{301}\u{323}", "a\u{323}\u{301}"), ("longer than a word: \u{E9}", "longer than a word: e\u{301}"),
  ]

  @Test("are two for each type that has one", arguments: types.indices)
  func two(index: Int) {
    let type = Self.types[index]
    for (one, other) in Self.pairs {
      #expect(one == other, "they are the same to String")
      #expect(type.make(one) != type.make(other), "\(type.name)")
      #expect(type.make(one) == type.make(String(decoding: Array(one.utf8), as: UTF8.self)), "\(type.name)")
      #expect(Set([type.make(one), type.make(other), type.make(one)]).count == 2, "\(type.name)")
    }
  }

  @Test("are sorted by their bytes, as SQLite does, so that no page of a list skips one")
  func order() {
    var random = SeededRandom(for: "order of texts")
    let letters = ["\u{E9}", "e\u{301}", "e", "z", "\u{10FFFF}", "\u{FFFD}", "Z", ""]
    let texts = (0..<200).map { _ in
      ExactText((0..<4).map { _ in letters.randomElement(using: &random) ?? "" }.joined())
    }
    let bytes = texts.map { Array($0.wrappedValue.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    #expect(texts.sorted().map { Array($0.wrappedValue.utf8) } == bytes)
  }

  private static func line(_ error: String) -> FailureCounts.Line {
    FailureCounts.Line(
      department: "a", kind: "a", error: error, jobs: 1, newestAt: Timestamp(milliseconds: 1), example: id)
  }

  @Test("are counted apart as errors of failed jobs, in each answer and in all answers together")
  func counted() {
    for (one, other) in Self.pairs {
      var counts = FailureCounts(lines: [Self.line(one)], next: 9)
      counts.add(FailureCounts(lines: [Self.line(other), Self.line(one)], next: nil))
      #expect(counts.lines.map { ExactText($0.error) } == [ExactText(one), ExactText(other)])
      #expect(counts.lines.map(\.jobs) == [2, 1])
    }
  }

  @Test("are told apart by a filter, a plan and an access list")
  func meant() {
    for (one, other) in Self.pairs {
      let event = Notification(
        event: "failed", at: .init(milliseconds: 1), error: JobFailure(code: one, message: ""), name: one, key: one)
      for filter in [
        EventFilter(names: [ExactText(other)]), EventFilter(keys: [ExactText(other)]),
        EventFilter(errors: [ExactText(other)]),
      ] {
        #expect(!filter.passes(event))
      }
      #expect(EventFilter(names: [ExactText(other), ExactText(one)]).passes(event))
      let steps = [PlanStep(name: one, kind: "a", rank: 1), PlanStep(name: other, kind: "b", rank: 2)]
      let plan = PlanDefinition(department: "init", steps: steps)
      #expect(plan.problems.isEmpty && plan.step(other)?.kind == "b")
      #expect(PlanRules(plan).step(other)?.rank == 2)
      let access = Access(users: [ExactText(one): UserSettings(role: .operator)], coordinator: one)
      #expect(access.pass(of: other).refusal(of: .command) != nil && access.pass(of: one).refusal(of: .command) == nil)
      #expect(!access.isOwn(other) && access.isOwn(one) && !access.isBoundHere(other))
      var passes = Passes(access)
      #expect(passes.pass(of: one).refusal(of: .command) == nil && passes.pass(of: other).refusal(of: .command) != nil)
    }
  }
}
