import AMQP
import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Who sent a message, in the books")
struct VettingTests {
  private let worker = WorkerID()

  private static let access = Access(
    users: [
      "w": .init(role: .worker, departments: ["work"]), "i": .init(role: .worker, departments: ["init"]),
      "shop": .init(role: .producer, departments: ["work"]), "ops": .init(role: .operator),
    ], coordinator: "boss")

  /// Books in which `users` count, and a worker of `w`.
  private func books(_ access: Access = access) async throws -> Books {
    let books = try await Books().succeeded { $0.access = access }
    try await hear(presence(worker), from: "w", books)
    _ = try await books.told()
    return books
  }

  private func presence(
    _ worker: WorkerID, _ departments: [String] = ["work"], running: [RunningRelease] = [],
    waiting: [WaitingRelease] = [], isGoodbye: Bool = false
  ) -> Presence {
    Presence(
      worker: worker, session: 1, name: "desk", tellers: Dictionary(uniqueKeysWithValues: departments.map { ($0, 1) }),
      ledger: nil, probe: 0, running: running, waiting: waiting, isGoodbye: isGoodbye)
  }

  private func hear(_ presence: Presence, from user: String?, _ books: Books) async throws {
    let vetted = await books.bookkeeper.vetted([.presence(presence)], from: [user])
    try await books.bookkeeper.hear(vetted, at: .zero)
  }

  private func vetted(_ message: ReportMessage, from user: String?, _ books: Books) async throws -> ReportMessage {
    try #require(await books.bookkeeper.vetted([message], from: [user]).first)
  }

  private func isRefused(_ message: ReportMessage, from user: String?, _ books: Books) async throws -> Bool {
    let before = await books.bookkeeper.notAllowed
    guard case .refused(let failure, _) = try await vetted(message, from: user, books) else { return false }
    #expect(failure.code == "not_allowed")
    #expect(await books.bookkeeper.notAllowed == before + 1)
    return true
  }

  @Test("a report counts from a worker of its department alone, and is parked from anybody else")
  func reports() async throws {
    let books = try await books()
    let assignment = try await released(books)
    let report = books.report(assignment, .done, by: worker)
    for user in ["i", "shop", "boss", "somebody", nil] {
      #expect(try await isRefused(report, from: user, books), "\(user ?? "nobody")")
    }
    let refused = try await vetted(report, from: "shop", books)
    #expect(try await books.bookkeeper.record([refused]).map(\.failure.code) == ["not_allowed"])
    #expect(try await books.state(assignment.job) == .queued)
    #expect(try await books.bookkeeper.record([vetted(report, from: "w", books)]).isEmpty)
    #expect(try await books.state(assignment.job) == .succeeded)
  }

  /// A job of `work`, submitted by `shop`.
  private func released(_ books: Books) async throws -> Assignment {
    let submission = Submission(id: JobID(), kind: "deposit")
    #expect(try await accept(submission, from: "shop", books).isEmpty)
    return try #require(try await books.told().assignments.first { $0.job == submission.id })
  }

  private func accept(_ submission: Submission, from user: String?, _ books: Books) async throws -> [Refusal] {
    try await books.bookkeeper.accept([Incoming(.job(submission), from: user)])
  }

  @Test("claims, drops and adoptions of others are refused and not kept; of several claims only the own ones count")
  func claims() async throws {
    let books = try await books()
    let assignment = try await released(books)
    let release = assignment.release
    let claim = ClaimRequest(release: release, ledger: books.ledger.id, worker: worker, number: 1)
    let messages: [ReportMessage] = [
      .claims([claim]), .dropped(UnstartedRelease(release: release, ledger: books.ledger.id, worker: worker)),
      .adopt(AdoptionRequest(release: release, token: 1, ledger: books.ledger.id, worker: worker)),
    ]
    for message in messages {
      #expect(try await isRefused(message, from: "shop", books))
      #expect(try await vetted(message, from: "w", books) == message)
      let refused = try await vetted(message, from: "i", books)
      #expect(try await books.bookkeeper.record([refused]).isEmpty)
    }
    let stranger = WorkerID()
    let own = ClaimRequest(
      release: ReleaseID(job: JobID(), number: 1), ledger: books.ledger.id, worker: stranger, number: 2)
    let foreign = ClaimRequest(release: release, ledger: books.ledger.id, worker: stranger, number: 1)
    #expect(try await vetted(.claims([foreign, own]), from: "i", books) == .claims([own]))
  }

  @Test("a worker is not welcomed for what its user may not serve, and is told why")
  func welcome() async throws {
    let books = try await books()
    for (user, departments) in [("w", ["init", "work"]), ("shop", ["work"]), (nil, ["work"]), ("boss", ["work"])] {
      let id = WorkerID()
      try await hear(presence(id, departments), from: user, books)
      let welcomes = try await books.told().compactMap { outgoing -> Welcome? in
        guard case .welcome(id, let welcome) = outgoing else { return nil }
        return welcome
      }
      #expect(welcomes.map(\.refusal?.code) == ["not_allowed"])
      #expect(welcomes.map(\.unknown) == [departments] && welcomes.allSatisfy { $0.departments.isEmpty })
      #expect(await books.bookkeeper.workers[id] == nil)
    }
    #expect(await books.bookkeeper.notAllowed == 4)
  }

  @Test("nobody speaks for another one's worker, and nothing is answered: the answer would be the worker's")
  func owners() async throws {
    for access in [Self.access, Access(coordinator: "boss")] {
      let books = try await books(access)
      let assignment = try await released(books)
      for isGoodbye in [false, true] {
        for user in ["i", nil] { try await hear(presence(worker, isGoodbye: isGoodbye), from: user, books) }
      }
      #expect(await books.bookkeeper.workers[worker]?.owner == "w")
      #expect(try await books.told().isEmpty)
      #expect(try await isRefused(books.report(assignment, .done, by: worker), from: "i", books))
      // Who took over after a restart knows it from the ledger.
      try await books.restart()
      _ = try await books.told()
      try await hear(presence(worker, isGoodbye: true), from: "i", books)
      #expect(await books.bookkeeper.workers[worker]?.owner == "w")
      try await hear(presence(worker, isGoodbye: true), from: "w", books)
      #expect(await books.bookkeeper.workers[worker] == nil)
    }
  }

  @Test("a worker that was given up is not another one's when its id comes back")
  func givenUp() async throws {
    let books = try await books()
    try books.ledger.write { try $0.giveUp(worker, at: books.now) }
    try await books.restart()
    _ = try await books.told()
    let other = Access(users: ["x": .init(role: .worker)], coordinator: "boss")
    let next = try await books.succeeded { $0.access = other }
    try await hear(presence(worker), from: "x", next)
    #expect(await next.bookkeeper.workers[worker] == nil)
    #expect(await next.bookkeeper.notAllowed == 1)
    // Nor is it free once somebody else has said that it ends.
    try await hear(presence(worker, isGoodbye: true), from: "x", next)
    #expect(try next.ledger.write { try $0.owner(of: worker) } == "w")
    #expect(await next.bookkeeper.notAllowed == 2)
  }

  @Test("what a worker lists as taken ahead counts for nothing when it is of a department that its user may not serve")
  func foreignAhead() async throws {
    let books = try await books()
    let first = try await released(books)
    let epoch = await books.bookkeeper.epoch
    // Its own worker would begin a new epoch with such a token.
    let forged = [WaitingRelease(release: first.release, token: first.token + 5, mustClaim: false)]
    let foreign = WorkerID()
    try await hear(presence(foreign, ["init"], waiting: forged), from: "i", books)
    #expect(await books.bookkeeper.workers[foreign]?.waiting == [])
    #expect(await books.bookkeeper.epoch == epoch)
    let own = [WaitingRelease(release: first.release, token: first.token, mustClaim: false)]
    try await hear(presence(worker, waiting: own), from: "w", books)
    #expect(await books.bookkeeper.workers[worker]?.waiting == own)
  }

  @Test("what a worker listed before its job was there counts for nothing when the job is another department's")
  func listedBefore() async throws {
    let books = try await books()
    let first = try await released(books)
    let coming = JobID()
    let running = [RunningRelease(release: ReleaseID(job: coming, number: first.release.number), token: first.token)]
    let foreign = WorkerID()
    try await hear(presence(foreign, ["init"], running: running), from: "i", books)
    try await hear(presence(worker, running: running), from: "w", books)
    #expect(try await accept(Submission(id: coming, kind: "deposit"), from: "shop", books).isEmpty)
    let assignment = try #require(try await books.told().assignments.first { $0.job == coming })
    #expect(RunningRelease(release: assignment.release, token: assignment.token) == running[0])
    for (id, expected) in [(foreign, []), (worker, [assignment.release])] {
      let entry = try #require(await books.bookkeeper.workers[id])
      #expect(await books.bookkeeper.releases(inHandOf: entry) == expected)
    }
  }

  @Test("what comes as a submission from the coordinator's own user is not parked where users count")
  func boundHere() async throws {
    for (access, count) in [(Self.access, 0), (Access(coordinator: "boss"), 1)] {
      let books = try await books(access)
      let failure = JobFailure(code: "missing_id", message: "message_id is missing")
      let rejection = Rejection(failure, reply: nil, messageID: "")
      #expect(try await books.bookkeeper.accept([Incoming(.rejected(rejection), from: "boss")]).count == count)
    }
  }

  @Test("what a worker lists of other departments is not seen to run there")
  func running() async throws {
    let books = try await books()
    let assignment = try await released(books)
    let foreign = WorkerID()
    let running = [RunningRelease(release: assignment.release, token: assignment.token)]
    try await hear(presence(foreign, ["init"], running: running), from: "i", books)
    #expect(await books.bookkeeper.workers[foreign]?.running == [])
    try await hear(presence(worker, running: running), from: "w", books)
    #expect(await books.bookkeeper.workers[worker]?.running == running)
  }

  @Test("a fence is the coordinator's own, with or without users")
  func fences() async throws {
    for access in [Self.access, Access(coordinator: "boss")] {
      let books = try await books(access)
      let fence = ReportMessage.fence(number: 1, ledger: books.ledger.id)
      #expect(try await isRefused(fence, from: "w", books))
      #expect(try await isRefused(fence, from: nil, books))
      #expect(try await vetted(fence, from: "boss", books) == fence)
    }
  }

  @Test("a submission is refused from who may not submit there, and parked where nobody is to be answered")
  func submissions() async throws {
    let books = try await books()
    for user in ["w", "somebody", nil] {
      let parked = try await accept(Submission(id: JobID(), kind: "deposit"), from: user, books)
      #expect(parked.map(\.failure.code) == ["not_allowed"])
    }
    let foreign = Submission(id: JobID(), kind: "step", reply: .test)
    #expect(try await accept(foreign, from: "shop", books).isEmpty)
    #expect(try await books.told().rejections == ["not_allowed"])
    #expect(try await books.job(foreign.id) == nil)
    #expect(await books.bookkeeper.notAllowed == 4)
    // The user comes before the department: such a message could be put back once there is that department.
    for (user, code) in [("shop", "not_allowed"), ("ops", "unknown_department")] {
      let nowhere = Submission(id: JobID(), kind: "deposit", department: "nowhere")
      #expect(try await accept(nowhere, from: user, books).map(\.failure.code) == [code])
    }
  }

  @Test("a submission that cannot be read is refused for its user first: for its mistake alone it could be put back")
  func unreadable() async throws {
    let books = try await books()
    let mistake = JobFailure(code: "missing_id", message: "message_id is missing")
    for (user, code) in [
      ("w", "not_allowed"), ("somebody", "not_allowed"), (nil, "not_allowed"), ("shop", "missing_id"),
    ] {
      let silent = Incoming(.rejected(Rejection(mistake, reply: nil, messageID: nil)), from: user)
      #expect(try await books.bookkeeper.accept([silent]).map(\.failure.code) == [code])
      let asking = Incoming(.rejected(Rejection(mistake, reply: .test, messageID: nil)), from: user)
      #expect(try await books.bookkeeper.accept([asking]).isEmpty)
      #expect(try await books.told().rejections == [code])
    }
    #expect(await books.bookkeeper.notAllowed == 6)
  }

  @Test("the id of another department's job tells nobody its outcome")
  func foreignIDs() async throws {
    let books = try await books()
    let secret = Submission(id: JobID(), kind: "step")
    #expect(try await accept(secret, from: "ops", books).isEmpty)
    _ = try await books.told()
    let probing = Submission(id: secret.id, kind: "deposit", reply: .test)
    #expect(try await accept(probing, from: "shop", books).isEmpty)
    #expect(try await books.told().rejections == ["not_allowed"])
    #expect(try await books.job(secret.id)?.reply == nil)
    #expect(try await accept(probing, from: "ops", books).isEmpty)
    #expect(try await books.told().rejections == ["id_conflict"], "it has another kind")
  }
}

extension [Outgoing] {
  /// The codes of the submissions that are answered as rejected.
  fileprivate var rejections: [String] {
    compactMap { outgoing in
      guard case .reply(_, let reply) = outgoing, case .rejected(let failure) = reply.content else { return nil }
      return failure.code
    }
  }
}
