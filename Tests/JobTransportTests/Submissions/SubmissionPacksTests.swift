import AMQP
import JobModel
import TestSupport
import Testing

@testable import JobTransport

/// Submissions share messages: none is missing, none is in another's place, and each is what it would be alone.
@Suite("Packs of submissions")
struct SubmissionPacksTests {
  private static let job = "01890a5d-ac96-774b-bcce-b302099a8057"
  private static let type = "application/vnd.teller.submissions"

  private func submission(_ size: Int = 2, reply: ReplyAddress? = nil) -> Submission {
    Submission(id: JobID(), kind: "deposit", payload: [UInt8](repeating: 10, count: size), reply: reply)
  }

  /// What is read of each message, whose count must be right.
  private func read(_ packs: [SubmissionPacks.Pack]) -> [[IncomingSubmission]] {
    packs.map { pack in
      let delivery = Deliveries.of(pack.message)
      let opened = SubmissionCodec.unpack(delivery)
      #expect(opened?.rejected == nil)
      let submissions = opened?.submissions ?? [UnpackedSubmission(delivery)]
      #expect(submissions.count == pack.count)
      return submissions.map(\.content)
    }
  }

  private func open(
    _ text: String, replyTo: String? = nil, headers: FieldTable = [:], type: String = Self.type
  ) -> UnpackedSubmissions? {
    SubmissionCodec.unpack(
      Deliveries.make(
        MessageProperties(contentType: type, headers: headers, replyTo: replyTo), .bytes(Array(text.utf8))))
  }

  @Test("come through their messages unchanged and in their order, whatever they say")
  func roundTrip() {
    var random = SeededRandom(for: "packs of submissions")
    var packed = 0
    for _ in 0..<60 {
      var submissions = (0..<Int.random(in: 0...150, using: &random)).map { _ in random.submission() }
      for index in submissions.indices where random.chance() { submissions[index] = submission(index) }
      let packs = SubmissionPacks.write(submissions)
      #expect(read(packs).flatMap(\.self) == submissions.map { .job($0) })
      packed += packs.count { $0.count > 1 }
    }
    #expect(packed > 100)
  }

  @Test("keep department, attempts, time, answer, content type and bytes; only what they cannot say goes alone")
  func plain() {
    var full = submission()
    full.department = Department("work")
    full.maxAttempts = 7
    full.submittedAt = Timestamp(milliseconds: 1_750_000_000_123)
    full.content.contentType = "é 🏦"
    full.priority = .highest
    full.content.payload = [0, 10, 32, 255]
    full.reply = ReplyAddress(replyTo: "teller.reply.a", correlationID: "c 1\n", wait: .accepted)
    var other = full
    other.id = JobID()
    other.reply = ReplyAddress(replyTo: "teller.reply.a", correlationID: nil, wait: .outcome)
    var held = full
    held.runAt = .within(.seconds(1))
    let all = [full, other, held, full]
    let packs = SubmissionPacks.write(all)
    #expect(packs.map(\.count) == [2, 1, 1])
    #expect(packs.map { $0.message.properties.contentType == Self.type } == [true, false, false])
    #expect(read(packs).flatMap(\.self) == all.map { .job($0) })
  }

  @Test("have at most 64 in a message, none behind 64 KiB, and those of one address")
  func limits() {
    for (count, expected) in [(0, []), (1, [1]), (64, [64]), (65, [64, 1]), (130, [64, 64, 2])] {
      #expect(SubmissionPacks.write((0..<count).map { _ in submission() }).map(\.count) == expected)
    }
    let (half, large) = (SubmissionPacks.byteLimit / 2, SubmissionPacks.byteLimit + 1)
    #expect(SubmissionPacks.write([half, half, half].map { submission($0) }).map(\.count) == [2, 1])
    #expect(SubmissionPacks.write([1, large, 1, 1].map { submission($0) }).map(\.count) == [1, 1, 2])
    let addresses = ["teller.reply.a", "teller.reply.a", "teller.reply.b", nil, nil]
    let submissions = addresses.map { address in
      submission(reply: address.map { ReplyAddress(replyTo: $0, correlationID: "c", wait: .outcome) })
    }
    #expect(SubmissionPacks.write(submissions).map(\.count) == [2, 1, 2])
    #expect(read(SubmissionPacks.write(submissions)).flatMap(\.self) == submissions.map { .job($0) })
  }

  @Test("are read in the form that is written down, with every word left out that may be")
  func form() throws {
    let text = "\(Self.job) deposit - 4 - - - 0 0 2\n{}\(Self.job) deposit work 9 1 5 accepted 1 3 0\nca/b"
    let opened = try #require(open(text, replyTo: "teller.reply.a"))
    #expect(opened.rejected == nil)
    let id = try #require(JobID(Self.job))
    let kind = JobKind("deposit")
    let second = Submission(
      id: id, kind: kind, department: Department("work"), priority: .highest, contentType: "a/b",
      submittedAt: Timestamp(milliseconds: 5), maxAttempts: 1,
      reply: ReplyAddress(replyTo: "teller.reply.a", correlationID: "c", wait: .accepted))
    let expected = [Submission(id: id, kind: kind, payload: Array("{}".utf8)), second]
    #expect(opened.submissions.map(\.content) == expected.map { .job($0) })
    #expect(open(text, type: "Application/vnd.Teller.submissions; charset=x")?.submissions.count == 2)
    #expect(open(text, type: "application/json") == nil)
  }

  @Test("one submission that is wrong is rejected as it would be alone, and those around it are not")
  func wrong() throws {
    let good = "\(Self.job) deposit - 4 - - - 0 0 0\n"
    let lines = [
      "x deposit - 4 - - - 0 0 0\n", "\(Self.job) a.b - 4 - - - 0 0 0\n", "\(Self.job) a - 11 - - - 0 0 0\n",
    ]
    for (line, code) in zip(lines, ["bad_id", "bad_kind", "bad_priority"]) {
      let opened = try #require(open(good + line + good))
      #expect(opened.rejected == nil)
      let read = opened.submissions.map(\.content)
      guard read.count == 3, case .job = read[0], case .rejected(let rejection) = read[1], case .job = read[2] else {
        Issue.record("\(read)")
        continue
      }
      #expect(rejection.failure.code == code)
    }
  }

  @Test(
    "what is behind a line that cannot be read is refused, with the reason",
    arguments: [
      ("", "submission 2 of the message: its line does not end"),
      ("a b", "submission 2 of the message: its line does not end"),
      ("a b\n", "submission 2 of the message: its line has 2 words, not 10"),
      ("a b - 4 - - - 0 0 x\n", "submission 2 of the message: its line counts something that is no number"),
      ("a b - 4 - - - 0 0 9\nbody", "submission 2 of the message: it is longer than its message"),
      ("a b - x - - - 0 0 0\n", "submission 2 of the message: its priority is no number"),
      ("a b - 256 - - - 0 0 0\n", "submission 2 of the message: its priority is none"),
      (
        "a\(String(repeating: "b", count: 255)) c - 4 - - - 0 0 0\n",
        "submission 2 of the message: it has a word that is too long"
      ),
      ("a b - 4 -1 - - 0 0 0\n", "submission 2 of the message: its number of attempts is no number"),
      ("a b - 4 - 1.5 - 0 0 0\n", "submission 2 of the message: its time is no number"),
    ])
  func unreadable(rest: String, reason: String) throws {
    let opened = try #require(open("\(Self.job) deposit - 4 - - - 0 0 2\n{}" + rest + (rest.isEmpty ? " " : "")))
    #expect(opened.submissions.count == 1)
    #expect(opened.rejected?.rejection?.failure.code == "bad_pack")
    #expect(opened.rejected?.rejection?.failure.message == reason)
    #expect(opened.rejected?.rejection?.reply == nil)
    #expect(open("x", replyTo: "teller.reply.a")?.rejected?.rejection?.reply?.replyTo == "teller.reply.a")
  }

  @Test("an empty one, one with headers of its own and one with too many are refused")
  func refused() throws {
    let line = "\(Self.job) deposit - 4 - - - 0 0 0\n"
    #expect(try #require(open("")).rejected?.rejection?.failure.code == "bad_pack")
    let delayed = try #require(open(line, headers: ["teller-delay-ms": 5]))
    #expect(delayed.submissions.isEmpty && delayed.rejected?.rejection?.failure.code == "not_supported")
    #expect(open(line, headers: ["teller-error": "x", "other": 1])?.submissions.count == 1)
    let many = try #require(open(String(repeating: line, count: 1_001)))
    #expect(many.submissions.count == 1_000)
    #expect(many.rejected?.message.body == .bytes(Array(line.utf8)), "only the rest is parked")
    let urgent = Deliveries.make(MessageProperties(contentType: Self.type, priority: 9), .bytes(Array(line.utf8)))
    #expect(SubmissionCodec.unpack(urgent)?.rejected?.rejection?.failure.code == "bad_pack")
    #expect(many.rejected?.rejection?.failure.message == "submission 1001 of the message: it is one too many")
  }

  @Test("of one in which anything is changed something is read or refused, and nothing stops")
  func changed() {
    var random = SeededRandom(for: "changed packs of submissions")
    for _ in 0..<2_000 {
      let reply = random.chance() ? ReplyAddress(replyTo: "teller.reply.a", correlationID: "c", wait: .outcome) : nil
      var body = SubmissionPacks.write((0..<4).map { submission($0, reply: reply) })[0].message.body
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        body[Int.random(in: body.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let isPlain = random.chance()
      let properties = MessageProperties(
        contentType: Self.type, headers: isPlain ? [:] : ["tenant": "blue"], replyTo: isPlain ? nil : "teller.reply.a")
      let delivery = Deliveries.make(properties, .bytes(body))
      let opened = SubmissionCodec.unpack(delivery)
      #expect(opened.map { !$0.submissions.isEmpty || $0.rejected != nil } == true)
      // Whatever is refused can be parked.
      for submission in opened?.submissions ?? [] {
        #expect(submission.content == SubmissionCodec.decode(submission.message, now: .now()), "as it would be alone")
      }
      for submission in (opened?.submissions ?? []) + [opened?.rejected].compactMap(\.self) {
        guard let rejection = submission.rejection else { continue }
        let message = submission.message
        let parked = ParkedMessage(message, from: "teller.submissions", at: .now(), reason: rejection.failure)
        let texts = [parked.properties.messageID, parked.properties.type, parked.properties.contentType]
        #expect(texts.allSatisfy { ($0?.utf8.count ?? 0) <= 255 })
      }
    }
  }
}

extension UnpackedSubmission {
  fileprivate var rejection: Rejection? { if case .rejected(let rejection) = content { rejection } else { nil } }
}
