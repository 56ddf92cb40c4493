import Decisions
import JobModel
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Changes of jobs that are only relayed")
struct LiveNewsTests {
  private func submit(_ submissions: [Submission], to books: Books) async throws {
    #expect(try await books.bookkeeper.accept(submissions.map { Incoming(.job($0)) }).isEmpty)
  }

  @Test("are told if the settings ask for them, and recorded nowhere")
  func asked() async throws {
    let books = try await Books()
    try await submit([Submission(id: JobID(), kind: "deposit")], to: books)
    #expect(try await books.told().changes.isEmpty, "nothing is told unless it is asked for")
    try await books.takeOver { $0.live = [.accepted, .released] }
    let (now, later) = (
      Submission(id: JobID(), kind: "deposit"), Submission(id: JobID(), kind: "deposit", runAt: .within(.seconds(600)))
    )
    try await submit([now, later], to: books)
    let told = try await books.told().changes
    #expect(told.map(\.event) == ["accepted", "accepted", "released"])
    #expect(told.map(\.job) == [now.id, later.id, now.id])
    #expect(told.allSatisfy { $0.kind == "deposit" && $0.department == "work" && $0.seq == nil })
    #expect(try await books.bookkeeper.nextNotifications(atMost: 10) == nil)
  }

  @Test("a job that runs again is released again", arguments: ["deposit", "loan"] as [JobKind])
  func again(kind: JobKind) async throws {
    let books = try await Books()
    try await books.takeOver { $0.live = [.released] }
    let run = try await books.release(Submission(id: JobID(), kind: kind))
    try await books.present(WorkerID(), running: [RunningRelease(release: run.release, token: run.token)])
    try await books.fail(run)
    // One kind is tried again at once, the other one later.
    try await books.lookAtClock(after: .seconds(3_600))
    let told = try await books.told().changes
    #expect(told.map(\.event) == ["released"] && told.map(\.job) == [run.job])
  }

  @Test("one message tells a limited number of them")
  func limited() async throws {
    let books = try await Books()
    try await books.takeOver { $0.live = [.accepted] }
    try await submit((0...LiveNews.perMessage).map { _ in Submission(id: JobID(), kind: "deposit") }, to: books)
    let sizes = try await books.told().compactMap { if case .news(_, let told) = $0 { told.count } else { nil } }
    #expect(sizes == [LiveNews.perMessage, 1])
  }
}

extension [Outgoing] {
  fileprivate var changes: [Notification] {
    flatMap { if case .news(_, let notifications) = $0 { notifications } else { [Notification]() } }
  }
}
