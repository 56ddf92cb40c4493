import ArgumentParser
import JobModel
import Testing

@testable import Teller
@testable import TellerCLI

@Suite("Short options, and filters of events")
struct ShortOptionTests {
  @Test(
    "a short option is the long one",
    arguments: [
      (["jobs", "-d", "loan", "-k", "letter", "-s", "held", "-n", "7", "-w", "-j"], JobsCommand.self),
      (["failed", "-d", "loan", "-k", "letter", "-n", "7", "-j"], FailedCommand.self),
      (["submit", "letter", "-d", "loan", "-p", "9", "-j"], SubmitCommand.self),
      (["cancel", "-d", "loan", "-k", "letter", "-y", "-j"], CancelCommand.self),
      (["reset", "-y", "-j"], ResetCommand.self), (["status", "-w", "-j"], StatusCommand.self),
      (["keys", "-k", "letter", "-n", "7", "-j"], KeysListCommand.self),
      (["plan", "list", "-d", "loan", "-n", "7", "-j"], PlanListCommand.self),
      (["workers", "-d", "loan", "-j"], WorkersCommand.self),
      (["watch", "-d", "loan", "-k", "x", "-j"], WatchCommand.self),
      (["report", "--since", "1h", "-d", "loan", "-j"], ReportCommand.self),
      (["rerank", "0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11", "-p", "9", "-j"], RerankCommand.self),
      (["wait", "0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11", "-j"], WaitCommand.self),
      (["health", "-j"], HealthCommand.self),
      (["rejected", "-n", "7", "-j"], RejectedListCommand.self),
      (["rejected", "drop", "--all", "-y", "-j"], RejectedDropCommand.self),
    ] as [([String], any ParsableCommand.Type)])
  func short(arguments: [String], command: any ParsableCommand.Type) throws {
    #expect(ObjectIdentifier(type(of: try TellerCommand.parseAsRoot(arguments))) == ObjectIdentifier(command))
  }

  @Test(
    "a misspelt option beside a short one is still found",
    arguments: [
      (["jobs", "-d", "loan", "--stat", "held"], "unknown option --stat; did you mean --state?"),
      (["rejected", "--limt", "5"], "unknown option --limt; did you mean --limit?"),
      (["rejected", "put-back", "--al"], "unknown option --al; did you mean --all?"),
      (["status", "--colour", "never"], "unknown option --colour; did you mean --color?"),
      (["status", "-x"], nil),
    ] as [([String], String?)])
  func misspelt(arguments: [String], problem: String?) throws {
    let error = #expect(throws: (any Error).self) { try TellerCommand.parseAsRoot(arguments) }
    #expect(UnknownOption.problem(in: arguments) == problem)
    let line = UsageText.withHint(UsageText.singleLine(TellerCommand.message(for: try #require(error))), arguments)
    if problem == nil { #expect(line.contains("-x"), "\(line)") }
  }

  @Test("every command has the same short options for the same words")
  func everywhere() {
    let shorts = [
      "--department": "-d", "--kind": "-k", "--state": "-s", "--limit": "-n", "--watch": "-w", "--yes": "-y",
      "--priority": "-p", "--json": "-j",
    ]
    var seen = Set<String>()
    for command in all(TellerCommand.self) {
      let help = TellerCommand.helpMessage(for: command, columns: 1_000)
      for line in help.split(separator: "\n") where line.hasPrefix("  -") {
        // The names stand before the first wide space.
        let names = line.dropFirst(2).prefix { $0 != "<" }.split(separator: " ", maxSplits: 2).prefix(2)
        let words = names.map { $0.split(separator: ",").joined() }
        for (long, short) in shorts where words.contains(long) {
          #expect(words == [short, long], "\(command): \(line)")
          seen.insert(long)
        }
      }
    }
    #expect(seen == Set(shorts.keys))
  }

  private func all(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    command.configuration.subcommands.flatMap { [$0] + all($0) }
  }

  @Test("several events and jobs may be named; a misspelt event is refused")
  func events() throws {
    let jobs = [JobID(), JobID()]
    let words = ["watch", "--event", "failed", "cancelled", "--job"] + jobs.map(\.description) + ["-k", "letter"]
    let command = try #require(try TellerCommand.parseAsRoot(words) as? WatchCommand)
    #expect(command.filter.job == jobs && command.filter.event == ["failed", "cancelled"])
    let event = { (job: JobID, kind: JobKind, name: String) in
      Teller.JobEvent(
        JobModel.Notification(
          seq: 1, job: job, kind: kind, department: "loan", event: name, attempt: 1, at: Timestamp(milliseconds: 0)),
        epoch: 1)
    }
    #expect(command.filter.filter.passes(event(jobs[1], "letter", "failed")))
    #expect(!command.filter.filter.passes(event(JobID(), "letter", "failed")))
    #expect(!command.filter.filter.passes(event(jobs[1], "other", "failed")))
    #expect(!command.filter.filter.passes(event(jobs[1], "letter", "succeeded")))
    let error = #expect(throws: (any Error).self) { try TellerCommand.parseAsRoot(["watch", "--event", "suceeded"]) }
    #expect(TellerCommand.message(for: try #require(error)).contains("did you mean succeeded?"))
    let far = #expect(throws: (any Error).self) { try TellerCommand.parseAsRoot(["watch", "--event", "x"]) }
    #expect(TellerCommand.message(for: try #require(far)).contains("started, progress, succeeded, failed, cancelled"))
  }
}

@Suite("The help")
struct HelpLayoutTests {
  /// A terminal has eighty columns, and a man page has margins.
  private static let columns = 73

  private func all(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    [command] + command.configuration.subcommands.flatMap { all($0) }
  }

  @Test("has tables that fit into a man page on eighty columns: a row is never broken")
  func fits() {
    for command in all(TellerCommand.self) {
      let lines = command.configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false)
      for line in lines where line.hasPrefix("  ") && !line.hasPrefix("  teller ") {
        #expect(line.count <= Self.columns, "\(command): \(line)")
      }
    }
  }
}
