import Foundation
import TestSupport
import Testing

/// `String` compares what a reader sees, and the ledger compares bytes. So what another program names is looked up by
/// `ExactText`, or by a type that wraps it. Where a table or a set has plain texts, this list says why none is confused.
@Suite("Tables by plain texts")
struct PlainTextTableTests {
  /// Names of letters, digits, `-` and `_`: departments, kinds, schedules, webhooks.
  private static let names = [
    "Bookkeeping/Clock/Schedules.swift",
    "Bookkeeping/Workers/WorkerStaffing.swift",
    "JobModel/Zones/ZoneNames.swift",
    "Ledger/Beside/ScheduleRecords.swift",
    "CoordinatorSettings/File/ConfigurationFile.swift",
    "CoordinatorSettings/File/CoordinatorParts.swift",
    "CoordinatorSettings/File/WebhookParts.swift",
    "Decisions/Configuration/ConfigurationChange.swift",
    "Decisions/Configuration/CoordinatorConfiguration.swift",
    "Decisions/Departments/Departments.swift",
    "Decisions/Workers/Roster.swift",
    "JobModel/Messages/WorkerMessages.swift",
    "JobModel/Questions/WorkerStatus.swift",
    "JobTransport/Workers/PresenceCodec.swift",
    "Ledger/Beside/Workers.swift",
  ]

  /// Names that Teller itself makes or lists: tags, queues, metrics, ids, codes of its own, files, addresses of the page.
  private static let ours = [
    "AMQP/Consuming/Consumers.swift",
    "Bookkeeping/Metrics/BooksMetrics.swift",
    "Bookkeeping/Metrics/TurnTally.swift",
    "Coordinator/Broker/Declaring.swift",
    "Decisions/Broker/DownQueues.swift",
    "Decisions/Rules/RuleBook.swift",
    "JobModel/Health/SignsOfLife.swift",
    "JobModel/Messages/EventFilter.swift",
    "JobTransport/Encoding/Headers.swift",
    "JobTransport/Rejected/RejectedMessageID.swift",
    "JobTransport/Rejected/RejectedQueue.swift",
    "JobTransport/Session/HealthBoard.swift",
    "Ledger/Schema/Migrations.swift",
    "Teller/Asking/OpenQuestions.swift",
    "Teller/Staffing/DepartmentConsumers.swift",
    "Teller/Staffing/DepartmentPool.swift",
    "TellerCLI/Commands/Rejected/RejectedSelection.swift",
    "TellerCLI/Doctor/ManagedQueue.swift",
    "TellerCLI/Printing/LedgerText.swift",
    "TellerHealth/Metrics/SeriesFamilies.swift",
    "TellerPage/Answers/Actions.swift",
    "TellerPage/Assets/AssetTable.swift",
    "TellerPage/PageScreen.swift",
    "TellerPage/Security/PagePrefix.swift",
    "TellerPage/Server/PageResponder.swift",
    "TellerPage/Server/Route.swift",
  ]

  /// Headers, by name: public API. Of two names that Unicode takes for one, one header is carried.
  private static let headers = [
    "AMQP/Messages/FieldValue.swift",
    "JobModel/Jobs/JobContent.swift",
    "JobModel/Jobs/SubmittedHeaders.swift",
    "JobModel/Plans/PlanSubmission.swift",
    "JobTransport/Rejected/RejectedDocument.swift",
    "Teller/Handlers/JobContext.swift",
    "Teller/Handlers/JobInfo.swift",
    "Teller/Plans/Plan.swift",
    "Teller/Submitting/JobSubmission.swift",
    "Teller/Tracing/SubmissionTracing.swift",
  ]

  /// Only known names are looked up; others are mistakes, or belong to the process.
  private static let known = [
    "CoordinatorSettings/File/SettingsBlock.swift",
    "CoordinatorSettings/SettingsLoading.swift",
    "TellerPage/Answers/Changes.swift",
    "TellerPage/Answers/Query.swift",
  ]

  /// Hosts and addresses of machines, in ASCII.
  private static let hosts = [
    "Decisions/Webhooks/AddressKind.swift",
    "TellerPage/PageSettings.swift",
    "TellerPage/Security/RequestRates.swift",
    "TellerPage/Security/StreamCounts.swift",
  ]

  @Test("each has its reason, and each reason its table")
  func list() throws {
    let sources = PackageFolder.url.appending(path: "Sources")
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var found: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" && !file.path.contains("Example/") {
      let text = try Data(contentsOf: file)
      // Most files have none, and are not looked at line by line.
      guard ["Set<String>", "[String: "].contains(where: { text.range(of: Data($0.utf8)) != nil }) else { continue }
      if String(decoding: text, as: UTF8.self).split(separator: "\n").contains(where: Self.isTable) {
        found.insert(String(file.path.dropFirst(sources.path.count + 1)))
      }
    }
    let listed = Set(Self.names + Self.ours + Self.headers + Self.known + Self.hosts)
    #expect(found.subtracting(listed).sorted() == [], "use ExactText, or say why this cannot confuse two names")
    #expect(listed.subtracting(found).sorted() == [], "these have no such table any more")
  }

  private static func isTable(_ line: Substring) -> Bool {
    // A regular expression takes long, and few lines need one.
    guard line.contains("Set<String>") || line.contains("[String: ") else { return false }
    if line.drop(while: { $0 == " " }).hasPrefix("//") { return false }
    return line.contains(/\b(let|var)\b[^=]*:[^=]*(Set<String>|\[String: )/)
      || line.contains(/(= |into: )(Set<String>|\[String: )/)
  }
}
