import Foundation
import JobModel
import Testing

@testable import Ledger
@testable import TellerCLI

@Suite("The ledger's file, for people and programs")
struct LedgerTextTests {
  @Test(
    "a size is in the unit that fits",
    arguments: [(0, "0 KB"), (1, "1 KB"), (999_001, "1000 KB"), (1_000_000, "1 MB"), (771_489_792, "771 MB")])
  func size(bytes: Int64, text: String) { #expect(LedgerText.size(bytes) == text) }

  @Test("how far a copy is")
  func progress() {
    let part = LedgerBackup.Progress(copied: 4_194_304, bytes: 771_489_792, isChecking: false)
    #expect(LedgerText.progress(part) == "4 MB of 771 MB copied")
    let all = LedgerBackup.Progress(copied: 771_489_792, bytes: 771_489_792, isChecking: true)
    #expect(LedgerText.progress(all) == "771 MB copied, reading the copy")
  }

  @Test(
    "what stands in the way of a copy is refused, what is wrong with a file is the ledger's",
    arguments: [
      (BackupError.exists(path: "x"), ExitStatus.rejected), (.isTheLedger(path: "x"), .rejected),
      (.logBeside(path: "x-wal"), .rejected), (.missing(path: "x"), .ledger), (.full(path: "x"), .ledger),
      (.ledger(.notALedger(path: "x")), .ledger), (.ledger(.newerVersion(path: "x")), .ledger),
      (.cannotWrite(path: "x", reason: "y"), .ledger), (.damagedCopy(path: "x", reason: "y"), .ledger),
      (.tooSlow(ledger: "x", megabytes: 1), .ledger), (.cancelled, .interrupted),
    ] as [(BackupError, TellerCLI.ExitStatus)])
  func status(error: BackupError, status: TellerCLI.ExitStatus) {
    #expect(Failure(error).status == status)
    #expect(Failure(error).message?.contains("x") == (error != .cancelled))
  }

  @Test("a command within another one is known by both of its words")
  func path() {
    #expect(CommandPath(["ledger", "backup", "x", "--force"]).help == "`teller help ledger backup`")
    #expect(CommandPath(["ledger"]).help == "`teller help ledger`")
    #expect(CommandPath(["submit", "backup"]).next == "backup")
    #expect(
      UnknownOption.problem(in: ["ledger", "backup", "x", "--forc"]) == "unknown option --forc; did you mean --force?")
    #expect(UnknownOption.problem(in: ["ledger", "backup", "--ledger", "x"]) == nil)
    let error = #expect(throws: Failure.self) { try TellerCommand.checkName(in: ["ledger", "bakup"]) }
    #expect(error?.message == "there is no command \"ledger bakup\": did you mean backup?")
    #expect(throws: Failure.self) { try TellerCommand.checkName(in: ["help", "ledger", "bakup"]) }
    #expect(throws: Never.self) { try TellerCommand.checkName(in: ["help", "ledger", "backup"]) }
    #expect(throws: Never.self) { try TellerCommand.checkName(in: ["submit", "backup"]) }
  }
}
