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
    "Coordinator/Broker/RetiredReading.swift",
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
    "Teller/WorkerState/DepartmentConsumers.swift",
    "Teller/WorkerState/DepartmentPool.swift",
    "TellerCLI/Commands/Rejected/RejectedSelection.swift",
    "TellerCLI/Doctor/ManagedQueue.swift",
    "TellerCLI/Printing/LedgerText.swift",
    "TellerCLI/TellerCommand.swift",
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
    var found: Set<String> = []
    for (path, text) in try Self.sources() {
      // Most files have none, and are not looked at line by line.
      guard ["Set<String>", "[String: "].contains(where: { text.range(of: Data($0.utf8)) != nil }) else { continue }
      if String(decoding: text, as: UTF8.self).split(separator: "\n").contains(where: Self.isTable) {
        found.insert(path)
      }
    }
    let listed = Set(Self.names + Self.ours + Self.headers + Self.known + Self.hosts)
    #expect(found.subtracting(listed).sorted() == [], "use ExactText, or say why this cannot confuse two names")
    #expect(listed.subtracting(found).sorted() == [], "these have no such table any more")
  }

  /// All but those of the examples.
  static func sources() throws -> [(path: String, text: Data)] {
    let folder = PackageFolder.url.appending(path: "Sources")
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var sources: [(path: String, text: Data)] = []
    for case let file as URL in files where file.pathExtension == "swift" && !file.path.contains("Example/") {
      sources.append((String(file.path.dropFirst(folder.path.count + 1)), try Data(contentsOf: file)))
    }
    return sources
  }

  private static func isTable(_ line: Substring) -> Bool {
    // A regular expression takes long, and few lines need one.
    guard line.contains("Set<String>") || line.contains("[String: ") else { return false }
    if line.drop(while: { $0 == " " }).hasPrefix("//") { return false }
    return line.contains(/\b(let|var)\b[^=]*:[^=]*(Set<String>|\[String: )/)
      || line.contains(/(= |into: )(Set<String>|\[String: )/)
  }
}

/// A table whose keys have a plain text among their parts confuses two names as well.
@Suite("Keys of tables that have plain texts")
struct PlainTextKeyTests {
  /// Structures by file and name, and why none of them is confused with another one.
  private static let reasons = [
    "JobModel/Values/Names.swift Department": "letters, digits, `-` and `_`",
    "JobModel/Values/Names.swift JobKind": "letters, digits, `-` and `_`",
    "JobModel/Plans/PlanNames.swift PlanName": "letters, digits, `-` and `_`",
    "JobModel/Plans/PlanNames.swift EventName": "letters, digits, `-` and `_`",
    "JobModel/Rules/Rule.swift RuleName": "letters, digits, `-` and `_`",
    "TellerPage/Security/HostName.swift HostName": "hosts, in ASCII",
    "JobModel/Values/ExactText.swift ExactText": "it compares bytes",
    "JobModel/Jobs/Submission.swift ReplyAddress": "it compares bytes",
    "JobModel/Health/SignsOfLife.swift Turn": "a part of the program",
    "JobModel/Questions/DeadLetterCause.swift DeadLetterCause": "a sender may make one up: it is only counted",
    "Bookkeeping/Telling/WaitingAcceptances.swift Address": "each reply keeps its address, and may only leave early",
    "JobTransport/Session/BrokerSource.swift State": "no key: another type has the same name",
    "Teller/Client/ClientLine.swift State": "no key: another type has the same name",
  ]

  @Test("each has its reason, and each reason its structure")
  func list() throws {
    var (keys, structures): (Set<Substring>, [String: Set<Substring>]) = ([], [:])
    for (path, text) in try PlainTextTableTests.sources() {
      // By bytes: there are many lines.
      let lines = String(decoding: text, as: UTF8.self).utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) }
      for line in lines { keys.formUnion(Self.keys(in: line)) }
      structures[path] = Self.structures(in: lines)
    }
    let found = Set(structures.flatMap { path, names in names.intersection(keys).map { "\(path) \($0)" } })
    let listed = Set(Self.reasons.keys)
    #expect(found.subtracting(listed).sorted() == [], "use ExactText, or say why this cannot confuse two names")
    #expect(listed.subtracting(found).sorted() == [], "these have no plain text any more, or are no keys")
  }

  @Test("a structure with a plain text is noticed, one whose texts are wrapped or computed is not")
  func noticed() {
    let lines = """
      struct A: Hashable {
        struct ID: Hashable {
          package private(set) var code: String?
        }
        var id: ID
      }
      struct B { @ExactText var code: String }
      struct C {
        @ExactText var code: String
        static let name: String = ""
        var text: String { code }
        func body() {
          let inner: String = ""
        }
      }
      struct D {
        let names: [String]
      }
      """.split(separator: "\n")
    #expect(Self.structures(in: lines) == ["ID", "D"])
    #expect(lines.flatMap(Self.keys) == [])
    #expect(Self.keys(in: "var a: [A.ID: Int] = [:], b: Set<Group>") == ["ID", "Group"])
  }

  /// The types of keys and of members of sets in a line, without the types that they are nested in.
  private static func keys(in line: Substring) -> [Substring] {
    // A regular expression takes long, and most lines need none.
    guard line.utf8.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "<") }),
      line.contains("Set<") || line.contains(": ")
    else { return [] }
    return line.matches(of: #/(?:\[|Set<)(?:\w+\.)*([A-Z]\w*)(?:: |>)/#).map { $0.1 }
  }

  /// The structures that have a property which is a plain text.
  private static func structures(in lines: [Substring]) -> Set<Substring> {
    var (found, open): (Set<Substring>, [(name: Substring, indent: Int)]) = ([], [])
    for line in lines {
      let indent = line.utf8.prefix { $0 == UInt8(ascii: " ") }.count
      while let last = open.last, indent <= last.indent { open.removeLast() }
      if let last = open.last, indent == last.indent + 2, isPlainText(line) { found.insert(last.name) }
      guard line.utf8.last == UInt8(ascii: "{"), line.contains("struct ") else { continue }
      if let start = line.firstMatch(of: #/^ *[a-z() ]*\bstruct (\w+)/#) {
        open.append((start.1, indent))
      }
    }
    return found
  }

  /// Whether a line declares a stored property that is a text, or has texts, and is not wrapped.
  private static func isPlainText(_ line: Substring) -> Bool {
    guard line.contains(": String") || line.contains(": [String]"), !line.contains("static ") else { return false }
    return line.contains(#/^ *[a-z() ]*\b(?:let|var) [^:=]*: (?:String\??|\[String\])(?: =.*)?$/#)
  }
}
