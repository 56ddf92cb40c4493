import AMQP
import JobModel
import JobTransport
import TestSupport
import Testing

/// What is too much for one message is more of them, and nothing of it is missing.
@Suite struct BatchTests {
  private static let longest = ReleaseID(job: JobID(), number: .max)

  @Test("claims go in messages of at most so many, each of one worker and one ledger, in their order")
  func claims() {
    var random = SeededRandom(for: "batches of claims")
    let (first, second) = (random.claim(), random.claim())
    let claims = Array(repeating: first, count: 300) + [second] + Array(repeating: first, count: 300)
    let decoded = ReportCodec.encode(claims).map { message -> [ClaimRequest] in
      guard case .claims(let claims)? = ReportCodec.decode(Deliveries.of(message)).first else { return [] }
      return claims
    }
    #expect(decoded.allSatisfy { $0.count <= ClaimRequest.batchLimit && !$0.isEmpty })
    #expect(decoded.flatMap(\.self) == claims)
    #expect(ReportCodec.encode([ClaimRequest]()).isEmpty)
  }

  @Test("a change of the void list goes in bodies of a million bytes, void ones first")
  func void() {
    let change = VoidChange(
      void: Array(repeating: Self.longest, count: 25_000), ended: [Self.longest],
      forgotten: Array(repeating: Self.longest, count: 13_000))
    let messages = ControlCodec.encode(change, toWorkersOf: "init")
    #expect(messages.allSatisfy { $0.body.count <= ControlCodec.bodyLimit && $0.routingKey == "department.init" })
    let changes = messages.map { message -> VoidChange in
      guard case .void(let change) = ControlCodec.decode(Deliveries.of(message)) else { return VoidChange() }
      return change
    }
    #expect(changes.flatMap(\.void) == change.void)
    #expect(changes.flatMap(\.ended) == change.void, "those that have ended are marked, wherever they are")
    #expect(changes.flatMap(\.forgotten) == change.forgotten)
    let lastVoid = changes.lastIndex { !$0.void.isEmpty } ?? -1
    #expect(changes.prefix(lastVoid).allSatisfy { $0.forgotten.isEmpty })
    #expect(ControlCodec.encode(VoidChange(), toWorkersOf: "init").isEmpty)
  }

  @Test("a welcome with too many void releases is followed by the rest as changes")
  func welcome() throws {
    let unknown = (0..<1_000).map { "\($0)" + String(repeating: "u", count: 100) }
    let welcome = Welcome(
      ledger: LedgerID("l"), epoch: 1, session: 2, departments: ["init"], unknown: unknown,
      void: Array(repeating: Self.longest, count: 30_000), ended: [Self.longest])
    let messages = ControlCodec.encode(welcome, to: WorkerID("w"))
    #expect(messages.count == 3)
    #expect(messages.allSatisfy { $0.body.count <= ControlCodec.bodyLimit && $0.routingKey == "worker.w" })
    let told = messages.map { ControlCodec.decode(Deliveries.of($0)) }
    guard case .welcome(let first)? = told.first else {
      Issue.record("the first message is no welcome")
      return
    }
    let rest = told.dropFirst().flatMap { message -> [ReleaseID] in
      guard case .void(let change) = message else { return [] }
      return change.void
    }
    #expect(first.unknown == unknown && !first.void.isEmpty)
    #expect(first.void + rest == welcome.void)
  }

  @Test("answers and adoptions go in as many messages as they need")
  func others() {
    var random = SeededRandom(for: "batches of answers")
    let answers = random.list(600...600) { $0.answer() }
    let told = ControlCodec.encode(answers, to: WorkerID("w")).flatMap { message -> [ClaimAnswer] in
      #expect(message.body.count <= ControlCodec.bodyLimit)
      guard case .answers(let answers) = ControlCodec.decode(Deliveries.of(message)) else { return [] }
      return answers
    }
    #expect(told == answers)
    let adopted = ControlCodec.encode(adopted: Array(repeating: Self.longest, count: 20_000), to: WorkerID("w"))
    #expect(adopted.count == 2 && adopted.allSatisfy { $0.body.count <= ControlCodec.bodyLimit })
    #expect(ControlCodec.encode([ClaimAnswer](), to: WorkerID("w")).isEmpty)
  }
}
