import ArgumentParser
import Foundation
import JobModel
import Teller
import Testing

@testable import TellerCLI

@Suite("Arguments of the commands for operators")
struct OperatingArgumentTests {
  private static let job = "0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11"

  private func isTaken(_ arguments: [String]) -> Bool {
    do {
      _ = try TellerCommand.parseAsRoot(arguments)
      return true
    } catch {
      #expect(TellerCommand.exitCode(for: error).rawValue == TellerCLI.ExitStatus.usage.rawValue)
      return false
    }
  }

  @Test("jobs are named, or filtered, or all of them: one of the three", arguments: ["cancel", "replay", "drop"])
  func selection(command: String) {
    let job = OperatingArgumentTests.job
    let good = [
      [job, job], ["--kind", "x"], ["--department", "x"], ["--kind", "x", "--department", "y"], ["--all"],
      ["-k", "x", "-d", "y", "-y", "-j"], ["--all", "--dry-run"], [job, "--yes"],
    ]
    for arguments in good { #expect(isTaken([command] + arguments), "\(arguments)") }
    let bad = [
      [], ["x"], [job, "--all"], [job, "--kind", "x"], ["--all", "--kind", "x"], [job, "--no-wait"],
      [job, "--dry-run"],
    ]
    for arguments in bad { #expect(!isTaken([command] + arguments), "\(arguments)") }
  }

  @Test("each command about many jobs can be confirmed beforehand, or tried", arguments: ["--yes", "-y", "--dry-run"])
  func confirmed(option: String) throws {
    for command in ["cancel", "drop", "replay"] { #expect(isTaken([command, "--all", option]), "\(command)") }
    #expect(isTaken(["reset", option]))
  }

  @Test("the filters of a list become those of the question, and of the command for its next page")
  func filters() throws {
    let now = Timestamp(milliseconds: 1_000_000_000)
    let job = OperatingArgumentTests.job
    let arguments = [
      "-d", "loan", "-k", "letter", "--since", "2h", "--until", "1h", "--error", "lost",
    ]
    let jobs = try #require(
      try TellerCommand.parseAsRoot(
        ["jobs", "-s", "failed", "--key", "A 17", "--plan", job, "-n", "7", "-j"] + arguments)
        as? JobsCommand)
    let query = jobs.filter.query(now: now)
    #expect((query.department, query.kind, query.error) == ("loan", "letter", "lost"))
    #expect(
      query.since == Date(timeIntervalSince1970: 992_800) && query.until == Date(timeIntervalSince1970: 996_400))
    #expect((jobs.state, jobs.key, jobs.plan?.description) == (.failed, "A 17", job))
    #expect(jobs.page.limit == 7 && jobs.page.json)
    let failed = try #require(
      try TellerCommand.parseAsRoot(["failed", "--by-error"] + arguments) as? FailedCommand)
    #expect(failed.byError)
    let next = NextPage.text(program: "teller", "failed", failed.filter.given(now: now) + failed.page.nextPage(41))
    #expect(
      next == "teller failed --department loan --kind letter --since 1970-01-12T11:46:40.000Z "
        + "--until 1970-01-12T12:46:40.000Z --error lost --limit 50 --before 41")
    #expect(isTaken(next.split(separator: " ").dropFirst().map(String.init)))
  }

  @Test("lists and drains take their arguments, long and short, and refuse others")
  func lists() throws {
    let good = [
      ["schedules"], ["schedules", "--json"], ["keys"], ["keys", "-k", "x", "-n", "5"], ["keys", "--kind", "x"],
      ["plan", "list", "-d", "x", "--all"], ["plan", "list", "--department", "x", "--limit", "5"], ["workers"],
      ["workers", "-d", "x"],
      ["drain", "host/1"], ["drain", "host/1", "--json"], ["watch", "--name", "audit", "--since", "start"],
      ["subscribers"], ["subscribers", "list", "--after", "audit", "-n", "5"], ["subscribers", "--json"],
      ["subscribers", "forget", "audit"],
    ]
    for arguments in good { #expect(isTaken(arguments), "\(arguments)") }
    let bad = [
      ["schedules", "x"], ["keys", "-n", "0"], ["keys", "-d", "x"], ["plan", "list", "-n", "1000001"],
      ["plan", "list", "-k", "x"],
      ["workers", "--all"], ["drain"], ["drain", "a", "b"],
    ]
    for arguments in bad { #expect(!isTaken(arguments), "\(arguments)") }
    let keys = try #require(try TellerCommand.parseAsRoot(["keys", "-k", "x", "-n", "5"]) as? KeysListCommand)
    #expect(keys.kind == "x" && keys.list.limit == 5)
  }

  @Test("the next page of keys and of plans begins behind the last row")
  func nextPages() throws {
    let keys = try #require(
      try TellerCommand.parseAsRoot(["keys", "-k", "x", "--after", "x/a/b c", "-n", "5"]) as? KeysListCommand)
    #expect(keys.after == JobKey(kind: "x", key: "a/b c"))
    let behind = keys.pages.option(JobKey(kind: "x", key: "a/b d"))
    #expect(
      NextPage.text(program: "teller", "keys", keys.list.given(keys.pages) + [behind])
        == "teller keys --kind x --limit 5 --after 'x/a/b d'")
    let plans = try #require(
      try TellerCommand.parseAsRoot(["plan", "list", "--all", "--before", "41"]) as? PlanListCommand)
    #expect(plans.before == 41)
    #expect(
      NextPage.text(program: "teller", "plan list", plans.list.given(plans.pages) + [plans.pages.option(7)])
        == "teller plan list --all --limit 50 --before 7")
    for wrong in ["x", "/a", "x/", "a b/c"] { #expect(!isTaken(["keys", "--after", wrong]), "\(wrong)") }
  }

  @Test("a scope is the one that was named")
  func scope() throws {
    let command = try #require(
      try TellerCommand.parseAsRoot(["cancel", "--kind", "x", "--department", "y"]) as? CancelCommand)
    #expect(command.selection.scope == .kind("x", in: "y"))
    let all = try #require(try TellerCommand.parseAsRoot(["drop", "--all"]) as? DropCommand)
    #expect(all.selection.scope == .all)
    let named = try #require(try TellerCommand.parseAsRoot(["drop", OperatingArgumentTests.job]) as? DropCommand)
    #expect(named.selection.scope == nil)
    let narrowed = try #require(try TellerCommand.parseAsRoot(["drop", "--error", "bad", "-d", "y"]) as? DropCommand)
    #expect(narrowed.selection.scope == .department("y").only(JobNarrowing(error: "bad")))
  }

  @Test(
    "what is missing, too much or outside its limits is refused",
    arguments: [
      ["rerank", job], ["rerank", job, "--priority", "9", "--rank", "1"], ["rerank", job, "--rank", "0"],
      ["resize", "loan"], ["resize", "loan", "many"], ["resize", "loan", "1000000"], ["report"],
      ["report", "--since", "1h", "--plan", job], ["report", "--since", "yesterday"], ["pause"], ["keys", "free", "x"],
      ["keys", "show"], ["keys", "reset", "x"],
      ["subscribers", "forget"], ["subscribers", "forget", "a b"], ["subscribers", "x"], ["watch", "--name", "a.b"],
      ["keys", "reset", "x", "y", "--all"],
      ["outcome", "--key", "x"], ["outcome", "--key", "x", "--kind", "y", "--within", "5s"],
      ["completions", "powershell"], ["operation", "x"], ["failed", "--limit", "0"], ["explain", "7"],
      ["submit", "x", "--delay", "5s", "--at", "2026-03-01T08:00:00Z"], ["submit", "x", "--at", "2026-03-01"],
      ["submit", "x", "--start-by", "2026-03-01T08:00:00Z", "--start-within", "5s"], ["submit", "x", "--after", "7"],
      ["submit", "x", "--after-failed", "fail"], ["submit", "x", "--after", job, "--after-failed", "ignore"],
      ["submit", "x", "--key-window", "5s"], ["submit", "--batch", "-", "--delay", "5s"],
      ["submit", "--batch", "-", "--key", "x"], ["jobs", "--key", "x"], ["jobs", "--error", "x", "--state", "held"],
      ["jobs", "--since", "1h", "--until", "2h"], ["failed", "--error", ""], ["jobs", "--until", "yesterday"],
    ])
  func refused(arguments: [String]) {
    #expect(!isTaken(arguments))
  }

  @Test("the options of a submission's holds become its own")
  func holds() throws {
    let job = OperatingArgumentTests.job
    let arguments = [
      "submit", "x", "--at", "2026-03-01T08:00:00+01:00", "--start-within", "2h", "--timeout", "30s", "--after", job,
      "--after", job, "--after-failed", "cancel", "--key", "A-17", "--key-window", "1h",
    ]
    let command = try #require(try TellerCommand.parseAsRoot(arguments) as? SubmitCommand)
    var submission = JobSubmission(kind: "x", payload: [])
    command.holds.apply(to: &submission)
    #expect(submission.runAt?.timeIntervalSince1970 == 1_772_348_400)
    #expect(submission.startWithin == .seconds(7_200))
    #expect(submission.timeout == .seconds(30))
    #expect(submission.after.map(\.description) == [job, job])
    #expect(submission.afterFailed == .cancel)
    #expect(submission.key == "A-17")
    #expect(submission.keyWindow == .seconds(3_600))
    #expect(submission.delay == nil && submission.startBy == nil)
  }

  @Test("a report begins so long ago, or at a moment")
  func since() {
    let now = Timestamp(milliseconds: 10_000_000)
    #expect(SinceArgument(argument: "1h")?.moment(now: now).milliseconds == 6_400_000)
    #expect(SinceArgument(argument: "1970-01-01T00:00:01Z")?.moment(now: now).milliseconds == 1_000)
    #expect(SinceArgument(argument: "") == nil)
  }

  @Test(
    "only what says so is yes",
    arguments: [("y\n", true), ("YES \n", true), ("", false), ("n\n", false), ("\n", false)])
  func yes(answer: String, isYes: Bool) {
    #expect(ConfirmationOptions.isYes(answer) == isYes)
  }

  @Test("a misspelt command is told what it may mean, and where its help is")
  func misspelt() throws {
    let failure = #expect(throws: Failure.self) { try TellerCommand.checkName(in: ["canecl"]) }
    #expect(failure?.message?.contains("did you mean cancel?") == true)
    #expect(failure?.status == .usage)
    #expect(throws: Failure.self) { try TellerCommand.checkName(in: ["xyz"]) }
    for name in ["cancel", "keys", "help", "--help"] { try TellerCommand.checkName(in: [name]) }
    try TellerCommand.checkName(in: [])
    #expect(throws: Failure.self) { try TellerCommand.checkName(in: ["help", "canecl"]) }
    try TellerCommand.checkName(in: ["help", "cancel"])
  }

  @Test("an error is one line, with what is possible behind its colon")
  func oneLine() throws {
    let error = #expect(throws: (any Error).self) { try TellerCommand.parseAsRoot(["jobs", "--state", "quued"]) }
    let line = UsageText.singleLine(TellerCommand.message(for: try #require(error)))
    #expect(line.hasSuffix("one of the following: held, queued, running, succeeded, failed, cancelled"))
    #expect(UsageText.singleLine("a\nb.") == "a, b")
    #expect(UsageText.singleLine("one of:\n  - a\n  - b") == "one of: a, b")
    #expect(UsageText.singleLine("--count is 1–9") == "--count is 1–9")
  }

  @Test("every shell can complete every command", arguments: CompletionsCommand.Shell.allCases)
  func completions(shell: CompletionsCommand.Shell) throws {
    let kind = try #require(CompletionShell(rawValue: shell.rawValue))
    let script = TellerCommand.completionScript(for: kind)
    for command in TellerCommand.configuration.subcommands {
      let name = try #require(command.configuration.commandName)
      #expect(script.contains(name), "\(name)")
    }
  }

  @Test("every command's help has an example")
  func examples() {
    for command in TellerCommand.configuration.subcommands {
      #expect(command.configuration.discussion.contains("EXAMPLE"), "\(command)")
    }
  }
}
