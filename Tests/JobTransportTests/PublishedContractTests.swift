import AMQP
import Foundation
import JobModel
import JobTransport
import TestSupport
import Testing

/// What is published about the wire, in `Deploy/wire`, is what is sent.
@Suite struct PublishedContractTests {
  private func text(_ file: String) throws -> String {
    try String(contentsOf: WireSchemas.folder.appending(path: file), encoding: .utf8)
  }

  /// All pages about the wire, one behind the other.
  private func pages() throws -> String {
    let files = try FileManager.default.contentsOfDirectory(atPath: WireSchemas.folder.path)
    return try files.filter { $0.hasSuffix(".md") }.sorted().map(text).joined(separator: "\n")
  }

  @Test("every body that is sent has its schema, and every member of the schemas is sent")
  func messages() throws {
    var schemas = try WireSchemas()
    var samples = WireSamples(SeededRandom(for: "published schemas"))
    var used: Set<String> = []
    for _ in 0..<100 {
      for (schema, body) in try samples.all() {
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(body))
        #expect(schemas.problems(of: value, schema) == [], "\(String(decoding: body, as: UTF8.self))")
        used.insert(schema)
      }
    }
    #expect(Set(schemas.schemas.keys) == used)
    #expect(schemas.members.subtracting(schemas.seen) == [])
  }

  @Test("the check itself finds what is missing, unknown, of another type or out of range")
  func check() throws {
    var schemas = try WireSchemas()
    let good: [String: JSONValue] = ["department": .string("init"), "tellers": .int(1)]
    #expect(schemas.problems(of: .object(good), "resize-request") == [])
    for (name, value) in [
      ("department", nil), ("department", .int(1)), ("tellers", .int(-1)), ("tellers", .int(65_536)),
      ("tellers", .double(1.5)), ("tellers", .null), ("more", .null),
    ] as [(String, JSONValue?)] {
      var broken = good
      broken[name] = value
      #expect(schemas.problems(of: .object(broken), "resize-request").count == 1)
    }
    let jobs = JSONValue.object(["jobs": .array([])])
    #expect(schemas.problems(of: jobs, "selection").count == 1)
    #expect(schemas.problems(of: .object(["state": .string("lost")]), "jobs-request").count == 1)
  }

  @Test("the schemas refuse what excludes each other, as the coordinator does")
  func choices() throws {
    var schemas = try WireSchemas()
    let job = JSONValue.string(JobID().description)
    let (name, rank) = (JSONValue.string("counter"), JSONValue.int(1))
    let jobs = JSONValue.array([job])
    let cases: [(schema: String, body: [String: JSONValue], isGood: Bool)] = [
      ("selection", ["jobs": jobs], true), ("selection", ["department": name, "kind": name], true),
      ("selection", ["kind": name, "all": .bool(true)], true), ("selection", ["all": .bool(true)], true),
      ("selection", [:], false), ("selection", ["all": .bool(false)], false),
      ("selection", ["jobs": jobs, "kind": name], false), ("selection", ["jobs": jobs, "all": .bool(true)], false),
      ("selection", ["jobs": .array([job, job])], false),
      ("rerank-request", ["job": job, "priority": rank], true), ("rerank-request", ["job": job, "rank": rank], true),
      ("rerank-request", ["job": job], false), ("rerank-request", ["job": job, "rank": rank, "priority": rank], false),
      ("report-request", ["since_ms": rank, "department": name], true), ("report-request", ["plan": job], true),
      ("report-request", ["department": name], false), ("report-request", ["since_ms": rank, "plan": job], false),
    ]
    for (schema, body, isGood) in cases {
      let value = JSONValue.object(body)
      #expect(schemas.problems(of: value, schema).isEmpty == isGood, "\(schema) \(body)")
      #expect(try isUnderstood(value, as: schema) == isGood, "\(schema) \(body)")
    }
  }

  /// Whether the coordinator takes it for a good question or command.
  private func isUnderstood(_ body: JSONValue, as schema: String) throws -> Bool {
    let data = try JSONEncoder().encode(body)
    return switch schema {
    case "selection": try JSONDecoder().decode(JobSelection.self, from: data).problem(for: .drop) == nil
    case "rerank-request": try JSONDecoder().decode(RerankOrder.self, from: data).problem == nil
    default: try JSONDecoder().decode(ReportQuery.self, from: data).problem == nil
    }
  }

  @Test("every example of the pages has its schema")
  func examples() throws {
    var schemas = try WireSchemas()
    var exampled: Set<String> = ["empty-request"]
    for example in try pages().matches(of: /<!-- schema: (\S+) -->\n```json\n([^`]*)```/) {
      let (name, body) = (String(example.1), String(example.2))
      let value = try JSONDecoder().decode(JSONValue.self, from: Data(body.utf8))
      #expect(schemas.problems(of: value, name) == [], "\(body)")
      exampled.insert(name)
    }
    #expect(exampled == Set(schemas.schemas.keys))
  }

  @Test("the pages' assignment and pack of reports are read as the pages say")
  func packedExamples() throws {
    let examples = try pages().matches(of: /```text\n([^`]*)\n```/).map { String($0.1) }
    var random = SeededRandom(for: "examples of the page")
    var assignment = Deliveries.of(AssignmentCodec.encode(random.assignment()))
    let words: String = try #require(examples.first { $0.hasPrefix("0195d5a0-") })
    assignment.properties.correlationID = words
    let read = try AssignmentCodec.decode(assignment)
    #expect(read.epoch == 6 && read.release.number == 3 && read.token == 4)
    #expect(read.attempt == 2 && read.maxAttempts == 5)
    #expect(read.releasedAt == Timestamp(milliseconds: 1_764_455_000_000))

    let properties = MessageProperties(correlationID: "l1", type: "reports", appID: "w1")
    let body = try #require(examples.first { $0.hasPrefix("01890a5d-") && $0.contains(" succeeded ") })
    let messages = ReportCodec.decode(Deliveries.make(properties, .bytes(Array(body.utf8))))
    let reports = messages.compactMap { message -> Report? in
      guard case .report(let report) = message else { return nil }
      return report
    }
    #expect(messages.count == 3)
    #expect(
      reports.map(\.result) == [
        .succeeded(result: Array("done".utf8), contentType: "text/plain"), .succeeded(result: [], contentType: nil),
        .failed(JobFailure(code: "no_funds", message: "7 too few"), isPermanent: false),
      ])
    #expect(reports.map(\.release.number) == [3, 1, 1])
    #expect(reports.map(\.token) == [4, 2, 1])
    #expect(ReportCodec.encode(reports).map(\.message.body) == [Array(body.utf8)])
  }

  @Test("the pages and the AsyncAPI document name every type of a report")
  func reportTypes() throws {
    var random = SeededRandom(for: "types of reports")
    let messages =
      ReportCodec.encode([random.report()]).map(\.message) + ReportCodec.encode([random.claim()])
      + [ReportCodec.encode(dropped: random.unstarted()), ReportCodec.encode(returned: random.unstarted())]
      + [ReportCodec.encode(random.adoption())]
      + [ReportCodec.encode(fence: 1, ledger: random.ledger())]
    let (page, document) = (try pages(), try text("asyncapi.yaml"))
    for type in messages.compactMap(\.properties.type) {
      #expect(page.contains("| `\(type)` |"), "\(type)")
      #expect(document.contains("    \(type):\n      name: \(type)\n"), "\(type)")
    }
  }

  @Test("the pages' jobs that share a message are read as the pages say")
  func packedSubmissions() throws {
    let examples = try pages().matches(of: /```text\n([^`]*)\n```/).map { String($0.1) }
    let body = try #require(examples.first { $0.contains(" deposit ") })
    let properties = MessageProperties(
      contentType: "application/vnd.teller.submissions", replyTo: "teller.reply.x")
    let opened = try #require(SubmissionCodec.unpack(Deliveries.make(properties, .bytes(Array(body.utf8)))))
    #expect(opened.rejected == nil)
    let jobs = opened.submissions.compactMap { unpacked -> Submission? in
      guard case .job(let submission) = unpacked.content else { return nil }
      return submission
    }
    #expect(
      jobs.map { String(decoding: $0.content.payload, as: UTF8.self) } == [#"{"pence": 700}"#, #"{"pence": 100}"#])
    #expect(jobs.map(\.department) == [nil, Department("counter")])
    #expect(jobs.map(\.maxAttempts) == [nil, 5] && jobs.map(\.priority.level) == [4, 9])
    #expect(jobs.map(\.submittedAt) == [nil, Timestamp(milliseconds: 1_750_000_000_000)])
    #expect(jobs.map(\.content.contentType) == [nil, "application/json"])
    #expect(jobs.map(\.reply) == [nil, ReplyAddress(replyTo: "teller.reply.x", correlationID: "d2", wait: .accepted)])
  }

  @Test("the pages' replies that share a message are read and written as the pages say")
  func packedReplies() throws {
    let examples = try pages().matches(of: /```text\n([^`]*)\n```/).map { String($0.1) }
    let body = Array(try #require(examples.first { $0.hasPrefix("succeeded ") }).utf8)
    let properties = MessageProperties(contentType: ReplyPacks.contentType)
    let (replies, problem) = ReplyPacks.decode(Deliveries.make(properties, .bytes(body)))
    #expect(problem == nil)
    #expect(replies.map(\.correlationID) == ["d1", "d2"])
    #expect(
      replies.map(\.content) == [
        .outcome(.succeeded(result: Array(#"{"pence": 800}"#.utf8), contentType: "application/json")), .accepted,
      ])
    #expect(ReplyPacks.encode(replies, to: ReplyPacks.queuePrefix + "x").map(\.body) == [body])
  }

  @Test("the pages and the AsyncAPI document name every exchange, queue and question")
  func names() throws {
    var random = SeededRandom(for: "names of questions")
    let address = AnswerAddress(replyTo: "teller.reply.x", correlationID: nil)
    let types =
      random.requests().map { RequestCodec.encode($0, address: address, expiration: .seconds(1)).properties.type }
      + random.commands().map { AdminCodec.encode($0, address: address, expiration: .seconds(1)).properties.type }
    let (page, document) = (try pages(), try text("asyncapi.yaml"))
    for name in Topology.exchanges.map(\.name) + (Topology.queues + [Topology.coordinatorQueue]).map(\.name) {
      #expect(page.contains("`\(name)`"), "\(name)")
      #expect(document.contains("name: \(name)\n"), "\(name)")
    }
    for type in types.compactMap(\.self) {
      #expect(page.contains("`\(type)`"), "\(type)")
      #expect(document.contains("name: \(type)\n"), "\(type)")
    }
  }

  @Test("the page about commands names every word that the page for browsers and the command line record")
  func notes() throws {
    let page = try text("commanding.md")
    for word in ActionNote.Word.allCases { #expect(page.contains("| `\(word.rawValue)` |"), "\(word)") }
  }

  @Test("the pages and the AsyncAPI document name the queues of departments and of kinds, and their keys")
  func assignmentQueues() throws {
    let page = try pages()
    let document = try text("asyncapi.yaml")
    for queue in [JobQueue("DEPARTMENT"), JobQueue("DEPARTMENT", kind: "KIND")] {
      let (name, key) = (Topology.Queue.assignments(queue), Topology.RoutingKey.assignments(to: queue))
      #expect(page.contains("`\(name)`") && page.contains("`\(key)`"), "\(name)")
      let inBraces = { (name: String) in
        name.replacing("DEPARTMENT", with: "{department}").replacing("KIND", with: "{kind}")
      }
      #expect(document.contains("address: '\(inBraces(key))'\n"), "\(key)")
      #expect(document.contains("the queue \(inBraces(name))"), "\(name)")
    }
  }

  @Test("the page names every hold in its table, and no other; and so does the schema")
  func holds() throws {
    let page = try text("asking-why.md")
    let table = try #require(page.range(of: "| hold | of a job that is | meaning |\n|---|---|---|\n")).upperBound
    let rows = page[table...].split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("|") }
    let tabled = rows.compactMap { $0.prefixMatch(of: /\| `(\w+)` \|/).map { String($0.1) } }
    #expect(Set(tabled) == Set(JobExplanation.Hold.all.map(\.rawValue)))
    let reason = try WireSchemas().schemas["explain"]?["properties"]?["reasons"]?["items"]?["properties"]
    guard case .array(let choices)? = reason?["hold"]?["enum"] else { throw CocoaError(.fileReadCorruptFile) }
    #expect(Set(choices) == Set(JobExplanation.Hold.all.map { .string($0.rawValue) }))
  }

  @Test("the pages' tables of errors have every code of a failure, and no other")
  func failureCodes() throws {
    // From the source: so no constant is left out of a list.
    let file = PackageFolder.url.appending(path: "Sources/JobModel/Jobs/FailureCodes.swift")
    let source = try String(contentsOf: file, encoding: .utf8)
    let constants = Set(source.matches(of: /static let \w+ = "(\w+)"/).map { String($0.1) })
    let tabled = try codesOfTables()
    #expect(constants.subtracting(tabled) == [], "constants that the pages do not have")
    #expect(tabled.subtracting(constants) == [], "codes without a constant")
    #expect(constants.isSuperset(of: [JobFailure.Code.timeout, JobFailure.Code.badTime, JobFailure.Code.busy]))
  }

  /// What stands in the columns `error` of the pages' tables.
  private func codesOfTables() throws -> Set<String> {
    var codes: Set<String> = []
    var column: Int?
    for line in try pages().split(separator: "\n", omittingEmptySubsequences: false) {
      let cells = line.split(separator: "|")
      if !line.hasPrefix("|") {
        column = nil
      } else if let column {
        guard column < cells.count else { continue }
        codes.formUnion(cells[column].matches(of: /`(\w+)`/).map { String($0.1) })
      } else {
        column = cells.firstIndex(of: " error ")
      }
    }
    return codes
  }

  @Test("the AsyncAPI document refers to every schema, and to no other")
  func references() throws {
    let references = try text("asyncapi.yaml").matches(of: /schemas\/([a-z-]+)\.json/).map { String($0.1) }
    #expect(Set(references) == Set(try WireSchemas().schemas.keys))
  }
}
