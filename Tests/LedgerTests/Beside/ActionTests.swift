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
        let found = try numbers.map { number in
          try transaction.settlingAction(of: #require(try transaction.job(number: number)))?.operation
        }
        #expect(found == [operation.id, operation.id, nil], "it has not come to the third one")
      }
    }
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
