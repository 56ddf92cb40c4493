import Foundation
import JobModel
import Testing

@testable import Ledger

@Suite("actions of operators")
struct ActionTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  private func action(_ word: String, at second: Int64 = 1, job: JobID? = nil) -> OperatorAction {
    OperatorAction(
      action: word, at: .test(second), by: OperatorName("ada"), user: "operator", job: job, department: "a", kind: "k",
      name: "n", detail: "d")
  }

  @Test("are listed as they were recorded, the newest first, a page at a time, or of one job")
  func list() async throws {
    try await temporary.with { ledger async throws in
      let (first, second) = (JobID(), JobID())
      try ledger.write { transaction in
        try transaction.addActions([action("cancel", job: first), action("cancel", job: second)], command: UUID())
        try transaction.addActions([action("pause")], command: nil)
      }
      let all = try await ledger.read { try $0.actions(ActionQuery()) }
      #expect(all.map(\.action) == ["pause", "cancel", "cancel"] && all.map(\.job) == [nil, second, first])
      var expected = action("pause")
      expected.number = 3
      #expect(all.first == expected)
      #expect(try await ledger.read { try $0.actions(ActionQuery(limit: 1, before: 3)) }.map(\.number) == [2])
      #expect(try await ledger.read { try $0.actions(ActionQuery(job: first)) }.map(\.number) == [1])
    }
  }

  @Test("are recorded once, however often the command comes")
  func once() async throws {
    try await temporary.with { ledger async throws in
      let command = UUID()
      for _ in 0..<3 { try ledger.write { try $0.addActions([action("pause")], command: command) } }
      #expect(try await ledger.read { try $0.actions(ActionQuery()) }.count == 1)
      try ledger.write { try $0.addActions([action("resume"), action("cancel", job: JobID())], command: command) }
      let all = try await ledger.read { try $0.actions(ActionQuery()) }
      #expect(all.map(\.action) == ["cancel", "resume", "pause"], "another command by the same id is told, too")
    }
  }

  @Test("one that is noted is given back as it is recorded, and as it was recorded first when it comes again")
  func noted() async throws {
    try await temporary.with { ledger async throws in
      let command = UUID()
      try ledger.write { try $0.addActions([action("pause")], command: command) }
      let first = try ledger.write { try $0.addAction(action("count_cash", at: 1), command: command) }
      let again = try ledger.write { try $0.addAction(action("count_cash", at: 9), command: command) }
      #expect(first.number == 2 && first.at == .test(1) && again == first)
      let other = try ledger.write { try $0.addAction(action("count_cash", at: 9), command: UUID()) }
      let unnamed = try ledger.write { try $0.addAction(action("count_cash", at: 9), command: nil) }
      #expect(other.number == 3 && unnamed.number == 4)
      #expect(try await ledger.read { try $0.actions(ActionQuery()) }.map(\.number) == [4, 3, 2, 1])
    }
  }

  @Test("go with the operations, and before there are too many; no number is given twice")
  func removed() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        try transaction.addActions([action("pause", at: 1), action("pause", at: 5)], command: nil)
        try transaction.removeOperations(finishedBefore: .test(5), limit: 9)
        #expect(try transaction.actions(ActionQuery()).map(\.number) == [2])
        try transaction.removeOperations(finishedBefore: .test(6), limit: 9)
        try transaction.addActions([action("pause")], command: nil)
        #expect(try transaction.actions(ActionQuery()).map(\.number) == [3])
        let most = LedgerTransaction.actionLimit
        try transaction.statements.run(
          "INSERT INTO action (number, at, action) VALUES (?, 1, 'later')", most + 2)
        try transaction.addActions([action("pause")], command: nil)
        #expect(try transaction.actions(ActionQuery()).map(\.number) == [most + 3, most + 2])
      }
    }
  }

  @Test("an operation says who began it; a job that it dropped finds it, one that ended later does not")
  func operations() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        let numbers = try (0..<3).map { _ in try transaction.acceptNew(.queued()) }
        for number in numbers { try transaction.end(number, .failed(JobFailure(code: "x", message: "y"))) }
        var operation = try transaction.addOperation(.drop, department: nil, kind: nil, total: 3, at: .test(9_999))
        var record = action("drop")
        record.operation = operation.id
        try transaction.addActions([record], command: nil)
        operation.position = numbers[1]
        try transaction.saveOperation(operation)
        #expect(
          try transaction.operation(operation.id)?.author == CommandAuthor(by: OperatorName("ada"), user: "operator"))
        for number in numbers { _ = try transaction.settle(number, .dropped) }
        let found = try numbers.map { try settling($0, transaction) }
        #expect(found == [operation.id, operation.id, nil], "it has not come to the third one")
      }
    }
  }

  private func settling(_ number: Int64, _ transaction: LedgerTransaction) throws -> JobOperation.ID? {
    let job = try #require(try transaction.job(number: number))
    return try transaction.settlingAction(of: job) { $0.passes(job, job.progress.state) }?.operation
  }

  @Test(
    "a job finds no operation whose filter it does not pass, by whichever part", arguments: OperationFilter.parts)
  func narrowed(part: OperationFilter.Part) async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        let job = OperationFilter.job
        let number = try transaction.acceptNew(job)
        try transaction.end(number, .failed(JobFailure(code: OperationFilter.passed(.error).error ?? "", message: "")))
        // The first one means other jobs, the second this one.
        let operations = try [OperationFilter.missed(part), OperationFilter.passed(part)].map { narrowing in
          try drop(narrowing, upTo: number, transaction)
        }
        _ = try transaction.settle(number, .dropped)
        #expect(try settling(number, transaction) == operations[1])
        let other = try drop(JobNarrowing(), upTo: number, transaction)
        #expect(try settling(number, transaction) == operations[1] && other > operations[1], "the first that means it")
      }
    }
  }

  /// An operation that has come to that job, and its action.
  private func drop(
    _ narrowing: JobNarrowing, upTo number: Int64, _ transaction: LedgerTransaction
  ) throws -> JobOperation.ID {
    var operation = try transaction.addOperation(
      .drop, department: "deposits", kind: nil, narrowing: narrowing, total: 1, at: .test(9_999))
    var record = action("drop")
    record.operation = operation.id
    try transaction.addActions([record], command: nil)
    operation.position = number
    try transaction.saveOperation(operation)
    return operation.id
  }

  @Test("the busy times of departments are kept")
  func busy() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        try transaction.setBusy("a", since: .test(1))
        try transaction.setBusy("b", since: .test(2))
        try transaction.setBusy("a", since: .test(3))
        try transaction.setBusy("b", since: nil)
        try transaction.setBusy("c", since: nil)
        #expect(try transaction.busyTimes() == ["a": .test(3)])
      }
    }
  }
}

/// Filters with one part each, and a failed job.
enum OperationFilter {
  typealias Part = JobNarrowing.CodingKeys

  static let parts = Part.allCases
  private static let plan = JobID()

  /// Accepted at the moment 0.
  static var job: NewJob {
    var job = NewJob.queued(plan: plan)
    job.job.key = "caf\u{E9}"
    return job
  }

  /// One that the job passes.
  static func passed(_ part: Part) -> JobNarrowing {
    var narrowing = JobNarrowing()
    switch part {
    case .state: narrowing.state = .failed
    case .error: narrowing.error = "late \u{E9}"
    case .key: narrowing.key = "caf\u{E9}"
    case .plan: narrowing.plan = plan
    case .acceptedSince: narrowing.acceptedSince = .test(0)
    case .acceptedUntil: narrowing.acceptedUntil = .test(1)
    }
    return narrowing
  }

  /// One that the job does not pass. Codes and keys are compared as bytes.
  static func missed(_ part: Part) -> JobNarrowing {
    var narrowing = JobNarrowing()
    switch part {
    case .state: narrowing.state = .held
    case .error: narrowing.error = "late e\u{301}"
    case .key: narrowing.key = "cafe\u{301}"
    case .plan: narrowing.plan = JobID()
    case .acceptedSince: narrowing.acceptedSince = .test(1)
    case .acceptedUntil: narrowing.acceptedUntil = .test(0)
    }
    return narrowing
  }
}
