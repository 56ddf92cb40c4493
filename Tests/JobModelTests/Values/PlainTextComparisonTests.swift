import Foundation
import Testing

/// `==` of two texts is that of a reader, not that of the ledger. So what another program has written is compared by
/// `isExactly` or as an `ExactText`. This list says of each plain comparison of such a member why none is confused.
@Suite("Comparisons of plain texts")
struct PlainTextComparisonTests {
  private static let members: Set<Substring> = [
    "headers", "replyTo", "correlationID", "contentType", "trace", "tracestate", "key", "owner", "user", "code",
    "content", "reason", "message", "error", "text", "input", "name", "worker",
  ]

  private static let reasons = [
    "Bookkeeping/Plans/EventReceivers.swift $0.name == name": "names of events",
    "Bookkeeping/Plans/PlanAccepting.swift known.name != plan.definition.name": "names of plans",
    "Bookkeeping/Plans/PlanAccepting.swift record.name != name": "names of plans",
    "Bookkeeping/Plans/PlanAccepting.swift run.name == name": "names of plans",
    "Bookkeeping/Plans/PlanEvents.swift event.name != known.name": "names of events",
    "Bookkeeping/Workers/Hearing.swift $0.name == name": "departments",
    "Bookkeeping/Workers/Hearing.swift job.run?.worker != worker": "ids of workers",
    "Bookkeeping/Workers/TakingBack.swift job.run?.worker == worker": "ids of workers",
    "CoordinatorSettings/File/OwnRules.swift $0.name == rule.name": "names of rules",
    "CoordinatorSettings/File/PlanParts.swift receiver == draft.name": "names of plans",
    "Decisions/Claims/ClaimAction.swift own.worker == request.worker": "ids of workers",
    "Decisions/Claims/ClaimAction.swift request.worker == worker": "ids of workers",
    "Decisions/Clock/Agenda.swift $0.schedule.name == name": "names of schedules",
    "Decisions/Clock/Agenda.swift $0.schedule.name == schedule.name": "names of schedules",
    "Decisions/Configuration/ConfigurationObstacles.swift $0.name == schedule.name": "names of schedules",
    "Decisions/Configuration/SettingsChanges.swift timeZone.name == new.timeZone.name": "zones, in ASCII",
    "Decisions/Rules/RuleCircles.swift next.name == rule.name": "names of rules",
    "JobModel/Plans/PlanDefinition.swift $0.name == event.name": "names of events",
    "JobModel/Plans/PlanDefinition.swift $0.name == name": "names of events",
    "JobTransport/Standby/ActivePlace.swift delivery.properties.messageID == name": "a name that this process has made",
    "JobTransport/Topology/QueueProbe.swift $0.name == queue": "Teller's own queues",
    "JobTransport/Workers/ReportCodec.swift $0.worker == $1.worker": "ids of workers",
    "Teller/Watching/JobEvent.swift $0.name == name": "names of changes; another one keeps its own",
    "TellerCLI/CommandPath.swift $0.configuration.commandName == name": "commands",
    "Bookkeeping/Workers/TakingBack.swift $0.adoptedBy == worker": "ids of workers",
    "Decisions/Workers/Suspects.swift place != worker": "ids of workers",
    "Bookkeeping/Questions/Counting.swift $0.key == department": "departments",
    "Decisions/Configuration/SettingsChanges.swift submit.key == new.submit.key": "templates, which compare bytes",
    "Decisions/Departments/QueueRefusals.swift entry.reason != reason": "whether to log it again",
    "JobTransport/Rejected/RejectedMessage.swift reason == other.reason": "each is put back as it is",
    "JobTransport/Rejected/RejectedMessage.swift user == other.user": "each is put back as it is",
    "JobTransport/Session/BrokerSource.swift old.user != new.user": "the broker looks at the bytes",
    "JobTransport/Session/Recovery.swift loss.error != lastAnnounced": "whether to log it again",
    "JobTransport/Session/Recovery.swift loss.error == lastRefusal": "whether to log it again",
    "JobTransport/Standby/LedgerClaim.swift $0 != ledger.text": "a ledger's id has letters, digits, `-` and `_`",
    "Teller/Configuration/ConfigurationSources.swift ) != tls.key": "whether both are given",
    "Teller/Submitting/SubmissionSending.swift $0.message == refused.message": "messages of this client, bytes and all",
    "Teller/Submitting/TrackedJob.swift earlier == content": "a digest",
    "Teller/Watching/EventReader.swift error == late": "an error of the client",
    "Teller/Watching/PlaceKeeper.swift state.isFailing != error": "a truth value",
    "TellerPage/Answers/Forms.swift entry.content == content": "a digest",
    "TellerPage/Security/TokenFile.swift state.problem != error": "whether to log it again",
    "Webhooks/Sending/Clients.swift $0.key != place": "hosts, in ASCII",
  ]

  @Test("each has its reason, and each reason its comparison")
  func list() throws {
    var found: Set<String> = []
    for (path, text) in try PlainTextTableTests.sources() {
      for line in String(decoding: text, as: UTF8.self).split(separator: "\n") where line.contains("= ") {
        found.formUnion(Self.comparisons(in: line).map { "\(path) \($0)" })
      }
    }
    #expect(
      found.subtracting(Self.reasons.keys).sorted() == [], "use isExactly, or say why this cannot confuse two texts")
    #expect(Set(Self.reasons.keys).subtracting(found).sorted() == [], "these are no such comparisons any more")
  }

  @Test("a comparison with a constant is none, one on either side is found")
  func seen() {
    func found(_ line: Substring) -> [String] { Self.comparisons(in: line) }
    #expect(found("    if a.content.headers == b.content.headers {") == ["a.content.headers == b.content.headers"])
    #expect(found("    return (x != job.key?.text)") == ["x != job.key?.text"])
    for line in ["key == nil", "code == 0", "key == .key", "name == \"x\"", "code == SQLITE_OK", "// key == other"] {
      #expect(found(Substring(line)) == [])
    }
  }

  /// Those of a member that may hold what another program has written, with anything but a constant.
  private static func comparisons(in line: Substring) -> [String] {
    if line.drop(while: { $0 == " " }).hasPrefix("//") { return [] }
    return line.matches(of: /([\w.?!$\[\]()]+) (==|!=) ([\w.?!$\[\]"(-]+)/).compactMap { match in
      let sides = [match.1, match.3].map { $0.trimmingPrefix(while: { $0 == "(" }) }
      guard sides.contains(where: isForeign), !sides.contains(where: isConstant) else { return nil }
      return "\(sides[0]) \(match.2) \(sides[1])"
    }
  }

  private static func isForeign(_ side: Substring) -> Bool {
    let bare = side.split(whereSeparator: { "?!)".contains($0) }).joined()
    return bare.split(separator: ".").last.map { members.contains($0) } ?? false
  }

  private static func isConstant(_ side: Substring) -> Bool {
    guard let first = side.first, side != "nil", side != "true", side != "false" else { return true }
    return first == "." || first == "\"" || first == "-" || first.isNumber || first.isUppercase
  }
}
