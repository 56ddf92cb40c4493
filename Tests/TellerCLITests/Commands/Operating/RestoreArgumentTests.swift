import ArgumentParser
import JobModel
import Teller
import Testing

@testable import TellerCLI

@Suite("The commands about what a restore holds")
struct RestoreArgumentTests {
  private func scope(_ arguments: String...) throws -> JobScope {
    let command = try TellerCommand.parseAsRoot(["restore"] + arguments)
    if let accept = command as? RestoreAcceptCommand { return accept.options.scope }
    return try #require(command as? RestoreDropCommand).options.scope
  }

  @Test("are about all of it, unless a filter is given", arguments: ["accept", "drop"])
  func scopes(command: String) throws {
    #expect(try scope(command) == .all)
    #expect(try scope(command, "-k", "letter") == .kind("letter"))
    #expect(try scope(command, "--department", "loan", "--no-wait") == .department("loan"))
    #expect(try scope(command, "-d", "loan", "-k", "letter", "-j") == .kind("letter", in: "loan"))
  }

  @Test("only a drop asks, and both can be tried")
  func confirmation() throws {
    #expect(throws: Never.self) { try scope("drop", "--yes") }
    #expect(throws: Never.self) { try scope("drop", "--dry-run") }
    #expect(throws: Never.self) { try scope("accept", "--dry-run") }
    #expect(throws: (any Error).self) { try scope("accept", "--yes") }
    #expect(throws: (any Error).self) { try scope("drop", "0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11") }
  }

  private func count(_ action: JobOperation.Action, _ jobs: Int) -> JobCount {
    JobCount(action, department: nil, kind: "letter", held: jobs, queued: 0, running: 0, plans: 0)
  }

  private func operation(_ action: JobOperation.Action, _ kind: JobKind?) -> JobOperation {
    JobOperation(
      id: 7, action: action, department: nil, kind: kind, changed: 3, looked: 3, total: 3,
      startedAt: Timestamp(milliseconds: 0), finishedAt: Timestamp(milliseconds: 2_000))
  }

  @Test("say how many jobs they are about, and what happened to them")
  func texts() {
    #expect(CountText.question(count(.dropRestored, 12)) == "Drop all 12 restored jobs of kind letter?")
    #expect(CountText.line(count(.acceptRestored, 1)) == "would accept 1 restored job of kind letter")
    #expect(
      CountText.line(count(.dropRestored, 0)) == "nothing to drop: no restored job of kind letter is held")
    #expect(
      OperationText.line(operation(.acceptRestored, nil))
        == "accept of all restored jobs: 3 accepted, of 3 looked at, in 2 s")
    #expect(
      OperationText.line(operation(.dropRestored, "letter"))
        == "drop of restored jobs of kind letter: 3 dropped, of 3 looked at, in 2 s")
  }

  @Test("the version says which zone data counts")
  func version() {
    let lines = TellerCommand.configuration.version.split(separator: "\n")
    #expect(lines.count == 2 && lines.last == "time zones \(ZoneData.present.text)")
  }
}
