import JobModel

/// Packs: several reports in one message, since a message costs the broker three times what it costs to record a report.
///
/// Each report is a line of words,
///
///     JOB RELEASE TOKEN STARTED_AGO_US RAN_US RESULT CONTENT_TYPE_BYTES BODY_BYTES
///
/// and behind it the bytes of its content type and its body.
///
/// | RESULT | body |
/// |---|---|
/// | `succeeded` | the handler's result |
/// | `failed` | the failure as JSON, with the handler's policy: `attempts` and `retry_ms`, where it has them |
/// | `failed-for-good`: another attempt cannot help | the failure as JSON |
/// | `snoozed`: to be run again, no attempt is used up | `{"for_ms": …}` |
/// | `discarded`: nothing is to be done any more | the reason as a failure in JSON |
enum ReportPacks {
  /// The most reports of a pack.
  static let countLimit = 64
  /// A pack with this many bytes takes no further report.
  static let byteLimit = 64 << 10

  /// The body of one message, and the number of its reports.
  struct Pack {
    var body: [UInt8] = []
    var count = 0
    var isFull: Bool { count >= countLimit || body.count >= byteLimit }
  }

  /// The reports in their order, in as few packs as possible.
  static func write(_ reports: some Sequence<Report>) -> [Pack] {
    var packs: [Pack] = []
    for report in reports {
      if packs.last?.isFull ?? true { packs.append(Pack()) }
      packs[packs.count - 1].append(report)
    }
    return packs
  }

  fileprivate enum Result {
    static let succeeded = "succeeded"
    static let failed = "failed"
    static let failedForGood = "failed-for-good"
    static let snoozed = "snoozed"
    static let discarded = "discarded"
  }
}

extension ReportPacks.Pack {
  fileprivate mutating func append(_ report: Report) {
    switch report.result {
    case .succeeded(let result, let contentType):
      append(report, ReportPacks.Result.succeeded, Array((contentType ?? "").utf8), result)
    case .failed(let failure, isPermanent: true):
      append(report, ReportPacks.Result.failedForGood, [], FailureBody.encode(failure))
    case .failed(let failure, isPermanent: false):
      append(report, ReportPacks.Result.failed, [], HintedFailure.encode(failure, report.hint))
    case .snoozed(let time):
      let body = WireJSON.encodePlain(SnoozeDocument(forMs: time.milliseconds))
      append(report, ReportPacks.Result.snoozed, [], body)
    case .discarded(let reason):
      append(report, ReportPacks.Result.discarded, [], FailureBody.encode(reason))
    }
  }

  private mutating func append(_ report: Report, _ result: String, _ contentType: [UInt8], _ bytes: [UInt8]) {
    body.append(contentsOf: report.job.description.utf8)
    let times = [report.startedAgo, report.ran].map { Int(max(0, $0.microseconds)) }
    for number in [report.release.number, report.token] + times { body.append(word: number) }
    body.append(word: result)
    body.append(word: contentType.count)
    body.append(word: bytes.count)
    body.endLine()
    body += contentType
    body += bytes
    count += 1
  }
}

/// Reads the reports of a pack.
struct ReportPackReader {
  private var cursor: PackCursor
  private let ledger: LedgerID
  private let worker: WorkerID

  init(_ body: [UInt8], ledger: LedgerID, worker: WorkerID) {
    (cursor, self.ledger, self.worker) = (PackCursor(body), ledger, worker)
  }

  /// Reads every report. A report that cannot be used is the failure of its attempt (``Report/flawed``). Behind a line that
  /// cannot be read there is nothing to read: the line has the numbers of bytes. What the line says of its attempt counts,
  /// and what is left is `unreadable`.
  mutating func read() -> [ReportMessage] {
    var messages: [ReportMessage] = []
    if cursor.isAtEnd { messages.append(.unreadable("it has no report")) }
    while !cursor.isAtEnd {
      let start = cursor.position
      do throws(Unreadable) {
        messages.append(.report(report(try readLine())))
      } catch {
        messages += rest(from: start, number: messages.count + 1, error.reason)
        break
      }
    }
    return messages
  }

  /// The rest of a message that is not read any further.
  private func rest(from start: Int, number: Int, _ reason: String) -> [ReportMessage] {
    let line = cursor.beginning(from: start)
    let rest = ReportMessage.unreadable("report \(number) of the message: \(reason)")
    guard let report = flawed(line.words, because: reason) else { return [rest] }
    return line.isLast ? [.report(report)] : [.report(report), rest]
  }

  /// The attempt that the first words of a line name; nil: they name none.
  private func flawed(_ words: [ArraySlice<UInt8>], because reason: String) -> Report? {
    guard words.count >= 3, let job = JobID(String(decoding: words[0], as: UTF8.self)) else { return nil }
    let numbers = words[1...2].compactMap(Envelope.number)
    guard numbers.count == 2, numbers.allSatisfy(Envelope.isGiven) else { return nil }
    return .flawed(
      ReleaseID(job: job, number: numbers[0]), token: numbers[1], ledger: ledger, worker: worker, because: reason)
  }

  private struct Line {
    var job: JobID
    var numbers: [Int]
    var result: String
    var contentType: ArraySlice<UInt8>
    var bytes: ArraySlice<UInt8>
  }

  private mutating func readLine() throws(Unreadable) -> Line {
    let words = try cursor.readWords(8)
    guard let job = JobID(String(decoding: words[0], as: UTF8.self)) else { throw Unreadable("its job is not a UUID") }
    let numbers = (words[1...4] + words[6...7]).compactMap(Envelope.number)
    guard numbers.count == 6, numbers[..<2].allSatisfy(Envelope.isGiven) else {
      throw Unreadable("its line has a number that is none")
    }
    let contentType = try cursor.take(numbers[4])
    return Line(
      job: job, numbers: numbers, result: String(decoding: words[5], as: UTF8.self), contentType: contentType,
      bytes: try cursor.take(numbers[5]))
  }

  private func report(_ line: Line) -> Report {
    let release = ReleaseID(job: line.job, number: line.numbers[0])
    let (startedAgo, ran) = (time(line.numbers[2]), time(line.numbers[3]))
    do throws(Unreadable) {
      let hint = line.result == ReportPacks.Result.failed ? HintedFailure.hint(Array(line.bytes)) : nil
      return Report(
        release: release, token: line.numbers[1], ledger: ledger, worker: worker, startedAgo: startedAgo, ran: ran,
        result: try result(line), hint: hint)
    } catch {
      return .flawed(
        release, token: line.numbers[1], ledger: ledger, worker: worker, startedAgo: startedAgo, ran: ran,
        because: error.reason)
    }
  }

  private func time(_ microseconds: Int) -> Duration { min(.microseconds(microseconds), Report.longestTime) }

  private func result(_ line: Line) throws(Unreadable) -> AttemptResult {
    switch line.result {
    case ReportPacks.Result.succeeded:
      let contentType = try contentType(line)
      guard line.bytes.count <= Report.resultLimit else {
        throw Unreadable("the result of \(line.bytes.count) bytes is over the limit of \(Report.resultLimit)")
      }
      return .succeeded(result: Array(line.bytes), contentType: contentType)
    case ReportPacks.Result.failed: return .failed(try FailureBody.decode(Array(line.bytes)), isPermanent: false)
    case ReportPacks.Result.failedForGood: return .failed(try FailureBody.decode(Array(line.bytes)), isPermanent: true)
    case ReportPacks.Result.snoozed:
      return .snoozed(try WireJSON.decode(SnoozeDocument.self, from: Array(line.bytes)).time)
    case ReportPacks.Result.discarded: return .discarded(try FailureBody.decode(Array(line.bytes)))
    default: throw Unreadable("its result \(Excerpt.quoted(line.result)) is not known here")
    }
  }

  private func contentType(_ line: Line) throws(Unreadable) -> String? {
    if line.contentType.isEmpty { return nil }
    guard let text = String(utf8: line.contentType) else {
      throw Unreadable("its content type is not UTF-8")
    }
    guard line.contentType.count <= Report.contentTypeLimit else {
      throw Unreadable("its content type has \(line.contentType.count) bytes, more than \(Report.contentTypeLimit)")
    }
    return text
  }
}
