import Decisions
import JobModel
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Changes of jobs' states, as a watcher is told them")
struct ChangesTests {
  private static let steps = SeededRandom.length(1_200, long: 3_000)
  private static let stepsBetweenComparisons = 100

  private let watching = Watching()

  @Test("each change of a job is told once, with the state before")
  func oneJob() async throws {
    let books = try await Books(watching: watching)
    let (id, worker) = (JobID(), WorkerID("one"))
    try await books.accept(Submission(id: id, kind: "deposit"))
    let first = try #require(try await books.told().assignments.first)
    for _ in 1...2 {
      try await books.present(
        worker, tellers: ["work": 1], running: [RunningRelease(release: first.release, token: first.token)])
    }
    try await books.record(books.report(first, .broken))
    let second = try #require(try await books.told().assignments.first)
    try await books.adopt(second, by: worker)
    _ = try await books.cancel(id)
    let changes = watching.takeAll()
    #expect(changes.map(\.from) == [nil, .queued, .running, .queued, .running])
    #expect(changes.map(\.to) == [.queued, .running, .queued, .running, .cancelled])
    #expect(changes.last?.outcome?.state == .cancelled && changes.last?.notification?.job == id)
  }

  @Test("a job that waits before it is tried again is told to be held")
  func held() async throws {
    let books = try await Books(watching: watching)
    let id = JobID()
    try await books.accept(Submission(id: id, kind: "loan"))
    let first = try #require(try await books.told().assignments.first)
    try await books.adopt(first, by: WorkerID("one"))
    try await books.record(books.report(first, .broken))
    let changes = watching.takeAll()
    #expect(changes.map(\.from) == [nil, .queued, .running])
    #expect(changes.map(\.to) == [.queued, .running, .held])
  }

  @Test("a change is told when its turn is safe, and not before")
  func safe() async throws {
    let shipping = Shipping()
    let books = try await Books(shipping: shipping, watching: watching)
    _ = try await books.told()
    try await books.accept(Submission(id: JobID(), kind: "deposit"))
    #expect(watching.takeAll().isEmpty)
    await books.bookkeeper.turnsAreSafe(upTo: shipping.last)
    #expect(watching.takeAll().map(\.to) == [.queued])
  }

  @Test("what was told of random steps is what the books say", .timeLimit(.minutes(5)))
  func random() async throws {
    let random = SeededRandom(for: "changes")
    var state = try await RandomBooks(seed: random.seed, watching: watching)
    var states: [JobID: JobState] = [:]
    var told: Set<JobState> = []
    for step in 1...ChangesTests.steps {
      let before = state.books.bookkeeper
      let name = try await state.step()
      let place: Comment = "seed \(random.seed), step \(step): \(name)"
      let isNew = state.books.bookkeeper !== before
      for change in watching.takeAll() {
        told.insert(change.to)
        let last = states.updateValue(change.to, forKey: change.job.id)
        // Retention removes ended jobs, and their ids may come again.
        // The job of an event that was held when its run ended is withdrawn: the next run accepts it anew, or somebody
        // submits a job of the event's id.
        let isWithdrawn = last == .held && state.events.contains(change.job.id)
        let isAgain = change.from == nil && (last?.isFinal == true || isWithdrawn)
        let follows = last == change.from || isAgain
        try #require(isNew || follows, place)
      }
      let released = await state.books.bookkeeper.released
      // A new coordinator hears from the workers what runs: a watcher looks at everything anew.
      if isNew {
        for job in released.values { states[job.id] = job.progress.visibleState }
      }
      for job in released.values { try #require(states[job.id] == job.progress.visibleState, place) }
      guard step % ChangesTests.stepsBetweenComparisons == 0 else { continue }
      for id in state.ids {
        guard let job = try await state.books.job(id) else { continue }
        try #require(states[id] == released[id]?.progress.visibleState ?? job.progress.state, place)
      }
    }
    #expect(told == Set(JobState.allCases))
  }
}
