import AMQP
import JobModel
import JobTransport
import Testing

/// The headers that hold a job, limit it or make it one-shot.
@Suite struct HoldHeaderTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"
  private static let other = "01890a5d-ac96-774b-bcce-b302099a8058"
  private static let third = "01890a5d-ac96-774b-bcce-b302099a8059"
  private static let now = Timestamp(milliseconds: 1_700_000_000_000)

  private func decode(_ headers: FieldTable) -> IncomingSubmission {
    let properties = MessageProperties(headers: headers, messageID: Self.id, type: "deposit")
    return SubmissionCodec.decode(Deliveries.make(properties), now: Self.now)
  }

  private func job(_ headers: FieldTable) throws -> Submission {
    guard case .job(let job) = decode(headers) else { throw Unreadable("\(decode(headers))") }
    return job
  }

  private static let days = 86_400_000
  private static let longest = Int64(10 * 366 * days)

  @Test(
    "a time that is none, too far ahead, or said twice is refused by name",
    arguments: [
      (["teller-run-at": "tomorrow"], "teller-run-at"), (["teller-run-at": "2030-01-31"], "RFC 3339"),
      (["teller-run-at": -1], "teller-run-at"), (["teller-run-at": 1.5], "teller-run-at"),
      (["teller-run-at": .int(now.milliseconds + longest + 1)], "within 10 years"),
      (["teller-run-at": .int(.max)], "teller-run-at"), (["teller-run-at": .timestamp(.max)], "teller-run-at"),
      (["teller-delay-ms": -1], "teller-delay-ms"), (["teller-delay-ms": .int(longest + 1)], "teller-delay-ms"),
      (["teller-delay-ms": "1s"], "teller-delay-ms"),
      (["teller-delay-ms": 1, "teller-run-at": 1], "exclude each other"),
      (["teller-start-by": "soon"], "teller-start-by"), (["teller-start-by": .int(.max)], "teller-start-by"),
      (["teller-start-within-ms": -5], "teller-start-within-ms"),
      (["teller-start-within-ms": 5, "teller-start-by": 5], "exclude each other"),
    ] as [(FieldTable, String)])
  func badTimes(headers: FieldTable, expected: String) {
    expect(headers, "bad_time", expected)
  }

  @Test(
    "a time limit that is none or out of range is refused",
    arguments: [0, -1, "soon", 1.5, .int(Int64(7 * days) + 1)] as [FieldValue])
  func badTimeouts(value: FieldValue) {
    expect(["teller-timeout-ms": value], "bad_timeout", "teller-timeout-ms")
  }

  @Test(
    "dependencies that are no jobs, too many, the job itself, or a rule without any are refused",
    arguments: [
      (["teller-after": "x"], "\"x\""), (["teller-after": ""], "1–100 jobs"), (["teller-after": []], "1–100 jobs"),
      (["teller-after": 7], "a list"), (["teller-after": [.string(other), 7]], "a list"),
      (["teller-after": .string(id)], "own id"), (["teller-after": .string("\(other) \(third)")], "a job's id"),
      (["teller-after": .array((0...100).map { _ in .string(JobID().description) })], "1–100 jobs"),
      (["teller-after-failed": "fail"], "teller-after is missing"),
      (["teller-after": .string(other), "teller-after-failed": "ignore"], "fail or cancel"),
    ] as [(FieldTable, String)])
  func badDependencies(headers: FieldTable, expected: String) {
    expect(headers, "bad_after", expected)
  }

  @Test(
    "a key that is empty, too long, not readable, or a window without one is refused",
    arguments: [
      (["teller-key": ""], "1–200 bytes"), (["teller-key": .string(String(repeating: "é", count: 101))], "1–200 bytes"),
      (["teller-key": "a\u{0}b"], "control characters"), (["teller-key": "a\nb"], "control characters"),
      (["teller-key": 7], "a text"), (["teller-key-window": 60], "teller-key is missing"),
      (["teller-key": "k", "teller-key-window": 0], "teller-key-window"),
      (["teller-key": "k", "teller-key-window": 31_622_401], "teller-key-window"),
      (["teller-key": "k", "teller-key-window": "1d"], "or while-live"),
      (["teller-key-window": "while-live"], "teller-key is missing"),
    ] as [(FieldTable, String)])
  func badKeys(headers: FieldTable, expected: String) {
    expect(headers, "bad_key", expected)
  }

  private func expect(_ headers: FieldTable, _ code: String, _ text: String) {
    guard case .rejected(let rejection) = decode(headers) else {
      Issue.record("\(headers) were accepted")
      return
    }
    #expect(rejection.failure.code == code)
    #expect(rejection.failure.message.contains(text), "\(rejection.failure.message)")
  }

  @Test("a moment may be milliseconds, digits, RFC 3339 or AMQP's own, and may have passed")
  func moments() throws {
    let expected = SubmittedTime.at(Timestamp(milliseconds: 1_600_000_000_000))
    let values: [FieldValue] = [
      1_600_000_000_000, "1600000000000", "2020-09-13T12:26:40Z", "2020-09-13T14:26:40.000+02:00",
      .timestamp(1_600_000_000),
    ]
    for value in values {
      #expect(try job(["teller-run-at": value]).runAt == expected)
      #expect(try job(["teller-start-by": value]).startBy == expected)
    }
    let farthest = Self.now + Submission.longestWait
    #expect(try job(["teller-run-at": .int(farthest.milliseconds)]).runAt == .at(farthest))
  }

  @Test("spans and limits may be decimal strings, up to their ends")
  func spans() throws {
    let job = try job([
      "teller-delay-ms": "0", "teller-start-within-ms": .int(Self.longest),
      "teller-timeout-ms": .int(Int64(7 * Self.days)),
    ])
    #expect(job.runAt == .within(.zero))
    #expect(job.startBy == .within(Submission.longestWait))
    #expect(job.timeout == Submission.timeoutLimits.upperBound)
  }

  @Test("dependencies may be a list or a text with commas, and each counts once")
  func dependencies() throws {
    let both = try [Self.other, Self.third].map { try #require(JobID($0)) }
    let list: FieldValue = [.string(Self.other), .string(Self.third), .string(Self.other.uppercased())]
    #expect(try job(["teller-after": list]).after == Dependencies(jobs: both, rule: .fail))
    let text = FieldValue.string(" \(Self.other), \(Self.third) ,")
    let cancelling = try job(["teller-after": text, "teller-after-failed": "cancel"])
    #expect(cancelling.after == Dependencies(jobs: both, rule: .cancel))
  }

  @Test("a key has a day's window unless it says another, and a void header is none")
  func keys() throws {
    #expect(try job(["teller-key": "k"]).key == SubmissionKey(text: "k", window: .seconds(86_400)))
    #expect(
      try job(["teller-key": "a b", "teller-key-window": "60"]).key == SubmissionKey(text: "a b", window: .seconds(60)))
    let whileLive = SubmissionKey(text: "k", window: .whileLive)
    #expect(try job(["teller-key": "k", "teller-key-window": "while-live"]).key == whileLive)
    #expect(try job(["teller-key": .void, "teller-after": .void, "teller-run-at": .void]).key == nil)
  }
}
