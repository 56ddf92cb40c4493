import Foundation
import JobModel
import Ledger

/// What a look at a ledger gave: the ledger, if it can be read, and what is said about it.
struct LedgerGlanceOutcome {
  let glance: LedgerGlance?
  let findings: [Finding]
}

/// Looks at the ledger's file, and does not read all of it: that is `teller ledger check`.
enum LedgerExamination {
  /// How far the ledger's clock may be ahead of this machine's.
  private static let clockTolerance: Duration = .seconds(2)

  static func look(_ path: String) async -> LedgerGlanceOutcome {
    do throws(BackupError) {
      let glance = try await LedgerGlance.look(at: path)
      return LedgerGlanceOutcome(
        glance: glance, findings: [file(glance, path), clock(glance.clock, now: .now())].compactMap(\.self))
    } catch .missing {
      let text = "there is no file \(path): the coordinator makes one at its start"
      return LedgerGlanceOutcome(glance: nil, findings: [.note(.ledger, text)])
    } catch {
      let finding = Finding.wrong(.ledger, error.description, cure: "see Deploy/backup.md")
      return LedgerGlanceOutcome(glance: nil, findings: [finding])
    }
  }

  private static func file(_ glance: LedgerGlance, _ path: String) -> Finding {
    for part in [path, path + "-wal"] where FileManager.default.fileExists(atPath: part) && access(part, W_OK) != 0 {
      return .wrong(
        .ledger, "this user may not write \(part)",
        cure: "run the command as the coordinator's user, or give it the file (chown)")
    }
    let text = "\(path): ledger \(glance.id), epoch \(glance.epoch), schema \(glance.schema)"
    if glance.schema < LedgerSummary.knownSchema {
      return .note(.ledger, "\(text), of an earlier version: the coordinator brings it up to date at its start")
    }
    return .ok(.ledger, text)
  }

  /// Ledger time never goes back: where this machine's clock is behind, the clock is wrong or was.
  static func clock(_ record: LedgerClock.Record?, now: Timestamp) -> Finding? {
    guard let record else { return nil }
    let clock = record.time - record.lead
    let ahead: Duration = .milliseconds(clock.milliseconds - now.milliseconds)
    guard ahead > clockTolerance else { return .ok(.clock, "it is not behind the ledger's") }
    return .wrong(
      .clock, "it is \(ahead.inWords) behind the ledger's: it was ahead before, or is wrong now",
      cure: "set it right (timedatectl); see Deploy/clocks.md")
  }
}
