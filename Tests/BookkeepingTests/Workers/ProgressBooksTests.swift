import Decisions
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("How far runs have come, in the books")
struct ProgressBooksTests {
  private let worker = WorkerID()

  private func say(
    _ fraction: Double, _ text: String? = nil, of release: ReleaseID, token: Int, in books: Books
  ) async throws {
    let run = WorkerProgress.Run(release: release, token: token, RunProgress(fraction, text))
    try await books.bookkeeper.hear([.progress(WorkerProgress(worker: worker, runs: [run]))], at: .zero)
  }

  private func say(_ fraction: Double, _ text: String? = nil, of run: Assignment, in books: Books) async throws {
    try await say(fraction, text, of: run.release, token: run.token, in: books)
  }

  private func shown(_ job: JobID, in books: Books) async throws -> RunProgress? {
    try await books.bookkeeper.showJob(job)?.progress
  }

  @Test("the last word is shown and told while the attempt runs, and recorded nowhere")
  func kept() async throws {
    let books = try await Books()
    let run = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await say(0.4, "page 4 of 10", of: run, in: books)
    let told = try #require(try await books.told().progress.first)
    #expect((told.seq, told.job, told.attempt) == (nil, run.job, 1))
    #expect((told.event, told.progress, told.text) == ("progress", 0.4, "page 4 of 10"))
    let shown = try #require(try await shown(run.job, in: books))
    #expect((shown.fraction, shown.text, shown.heardAt) == (0.4, "page 4 of 10", told.at))
    #expect(try await books.bookkeeper.showJob(run.job)?.state == .running)
    #expect(try await books.bookkeeper.nextNotifications(atMost: 10) == nil)
    // Nor does another coordinator know it.
    try await books.restart()
    #expect(try await self.shown(run.job, in: books) == nil)
  }

  @Test("it is gone with the attempt, and a word of an attempt that is not the present one does not count")
  func stale() async throws {
    let books = try await Books()
    let first = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await say(0.4, of: first, in: books)
    try await books.fail(first)
    let second = try #require(try await books.told().assignments.first)
    #expect(try await shown(first.job, in: books) == nil)
    try await say(0.5, of: first, in: books)
    try await say(0.6, of: second.release, token: second.token + 1, in: books)
    #expect(try await books.told().progress.isEmpty)
    #expect(try await shown(first.job, in: books) == nil)
    // Nor has the second attempt said anything when it begins.
    try await books.present(worker, running: [RunningRelease(release: second.release, token: second.token)])
    #expect(try await books.bookkeeper.showJob(second.job)?.state == .running)
    #expect(try await shown(second.job, in: books) == nil)
    try await say(0.1, of: second, in: books)
    #expect(try await books.told().progress.map(\.attempt) == [2])
    try await books.succeed(second)
    try await say(0.9, of: second, in: books)
    #expect(try await books.told().progress.isEmpty)
    #expect(try await shown(first.job, in: books) == nil)
  }

  @Test("of many words of a run one turn tells the last one, and a flood of runs does not fill the outbox")
  func flood() async throws {
    let count = HeardProgress.tellLimit + 200
    let books = try await Books(window: count)
    var runs: [Assignment] = []
    try await books.accept((0..<count).map { _ in Submission(id: JobID(), kind: "deposit") })
    while runs.count < count {
      runs += try await books.told().assignments
      try await books.bookkeeper.fillMore()
    }
    let words = (1...5).map { step in
      PresenceMessage.progress(
        WorkerProgress(
          worker: worker,
          runs: runs.map { WorkerProgress.Run(release: $0.release, token: $0.token, RunProgress(Double(step) / 10)) }))
    }
    try await books.bookkeeper.hear(words, at: .zero)
    let told = try await books.told().progress
    #expect(told.count == HeardProgress.tellLimit)
    #expect(told.allSatisfy { $0.progress == 0.5 })
    for run in runs where try await shown(run.job, in: books)?.fraction != 0.5 {
      Issue.record("\(run.job) is not kept")
    }
  }

  @Test("a word counts from a user that may serve the department, and in the name of no other user's worker")
  func vetted() async throws {
    let access = Access(
      users: ["w": .init(role: .worker, departments: ["work"]), "i": .init(role: .worker, departments: ["init"])],
      coordinator: "boss")
    let books = try await Books()
    let run = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await books.takeOver { $0.access = access }
    let word = PresenceMessage.progress(
      WorkerProgress(
        worker: worker, runs: [WorkerProgress.Run(release: run.release, token: run.token, RunProgress(0.4))]))
    for user in ["i", "boss", "somebody", nil] {
      let vetted = await books.bookkeeper.vetted([word], from: [user])
      try await books.bookkeeper.hear(vetted, at: .zero)
      #expect(try await shown(run.job, in: books) == nil, "\(user ?? "nobody")")
    }
    let announced = Presence(
      worker: worker, session: 1, name: "desk", tellers: ["init": 1], ledger: nil, probe: 0, running: [])
    let other = await books.bookkeeper.vetted([.presence(announced)], from: ["i"])
    try await books.bookkeeper.hear(other, at: .zero)
    #expect(await books.bookkeeper.vetted([word], from: ["w"]).isEmpty)
  }
}

extension [Outgoing] {
  /// What is told of runs and how far they have come.
  fileprivate var progress: [Notification] {
    compactMap { if case .progress(let notification) = $0 { notification } else { nil } }
  }
}
