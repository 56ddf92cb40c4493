import Decisions
import JobModel
import JobTransport
import Ledger
import Testing

@testable import Bookkeeping
@testable import BooksSupport

/// A place in the code at which a notification is made, and how it comes to that.
struct NotificationPlace: CustomTestStringConvertible, Sendable {
  /// The file, and the call: as often in the table as in the file.
  let call: String
  /// What is told there.
  let event: String
  let happen: @Sendable (CaughtBooks) async throws -> Void

  init(_ call: String, _ event: String, _ happen: @escaping @Sendable (CaughtBooks) async throws -> Void) {
    (self.call, self.event, self.happen) = (call, event, happen)
  }

  var testDescription: String { "\(call): \(event)" }

  static let all = flow + claims + plans + commands + time
}

extension CaughtBooks {
  fileprivate func keyed(_ window: KeyWindow = .seconds(60)) async throws -> Assignment {
    try await books.release(
      Submission(id: JobID(), kind: "deposit", key: SubmissionKey(text: "a", window: window)))
  }

  fileprivate func plan(_ steps: PlanStep...) async throws -> [Assignment] {
    let plan = PlanSubmission(id: JobID(), department: "init", steps: steps)
    #expect(try await books.bookkeeper.accept([Incoming(.plan(plan))]).isEmpty)
    return try await books.told().assignments.filter { $0.kind == "step" }
  }

  /// The message of the job is gone again and again, and no worker has said a word.
  fileprivate func lose(_ submission: Submission) async throws {
    _ = try await books.release(submission)
    for _ in 0...UnusedAttempts.lossLimit {
      books.bookkeeper.confirmed(await books.bookkeeper.released.values.map(\.release))
      try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: .seconds(-60))
      _ = try await books.returnFences(in: try await books.told())
      try await books.lookAtClock(after: .seconds(1_000))
    }
    #expect(try await books.state(submission.id) == .failed)
  }

  /// A worker dies of the job.
  fileprivate func kill(_ submission: Submission) async throws {
    // With one teller: so nobody else can have been the cause.
    let (worker, tellers) = (WorkerID("w"), ["work": 1])
    try await books.present(worker, tellers: tellers)
    let job = try await books.release(submission)
    books.bookkeeper.confirmed([job.release])
    let running = [RunningRelease(release: job.release, token: job.token)]
    try await books.present(worker, tellers: tellers, running: running)
    _ = try await books.told()
    for second in 1...10 { try await books.bookkeeper.tick(at: .seconds(second), isBlocked: false) }
    _ = try await books.returnFences(in: try await books.told())
  }
}

extension NotificationPlace {
  private static let flow: [NotificationPlace] = [
    NotificationPlace("Flow/Accepting.swift ending.endJob", "failed") {
      try await $0.books.accept(Submission(id: JobID(), kind: "deposit", startBy: .within(.zero)))
    },
    NotificationPlace("Flow/Accepting.swift turn.tellFreed", "key_freed") {
      try await $0.books.succeed(try await $0.keyed())
      _ = try await $0.books.bookkeeper.freeKey("deposit", "a")
    },
    NotificationPlace("Flow/Ending.swift turn.tellFreed", "key_freed") {
      try await $0.books.succeed(try await $0.keyed(.whileLive))
    },
    NotificationPlace("Flow/Recording.swift ending.finish", "succeeded") {
      try await $0.books.succeed(try await $0.books.release(Submission(id: JobID(), kind: "deposit")))
    },
    NotificationPlace("Flow/Recording.swift turn.tellFailed", "attempt_failed") {
      try await $0.books.fail(try await $0.books.release(Submission(id: JobID(), kind: "loan")))
    },
    NotificationPlace("Flow/Releasing.swift ending.endJob", "failed") {
      let job = try await $0.tooLate()
      try await $0.books.bookkeeper.fillMore()
      #expect(try await $0.books.failure(job) == "too_late")
    },
    NotificationPlace("Flow/Releasing.swift ending.finish", "failed") {
      let release = try await $0.books.release(Submission(id: JobID(), kind: "deposit")).release
      try await $0.books.bookkeeper.end([RefusedRelease(release: release, reason: "it is too large")])
    },
    NotificationPlace("Flow/Submitting.swift turn.tellParked", "parked") {
      _ = try await $0.books.bookkeeper.accept([Incoming(.job(Submission(id: JobID(), kind: "nowhere")))])
    },
    NotificationPlace("Rules/RuleFiring.swift turn.notify", "rule_failed") {
      _ = try await $0.books.bookkeeper.setPaused("work", true)
      _ = try await $0.books.bookkeeper.setPaused("work", false)
    },
  ]

  private static let claims: [NotificationPlace] = [
    NotificationPlace("Claims/Changing.swift ending.finish", "failed") {
      let job = Submission(id: JobID(), kind: "deposit", startBy: .within(.seconds(60)))
      _ = try await $0.books.release(job)
      try await $0.books.lookAtClock(after: .seconds(61))
      _ = try await $0.books.returnFences(in: try await $0.books.told())
      #expect(try await $0.books.failure(job.id) == "too_late")
    },
    NotificationPlace("Claims/Reissuing.swift ending.finish", "failed") {
      try await $0.kill(Submission(id: JobID(), kind: "deposit", maxAttempts: 1))
    },
    NotificationPlace("Claims/Reissuing.swift ending.finish", "failed") {
      try await $0.lose(Submission(id: JobID(), kind: "deposit"))
    },
    NotificationPlace("Claims/Reissuing.swift turn.tellFailed", "attempt_failed") {
      try await $0.kill(Submission(id: JobID(), kind: "deposit"))
    },
  ]

  private static let plans: [NotificationPlace] = [
    NotificationPlace("Plans/PlanAdvancing.swift ending.endJob", "cancelled") {
      let steps = try await $0.plan(PlanStep("one", 1), PlanStep("two", 2))
      try await $0.books.fail(try #require(steps.first), isPermanent: true)
    },
    NotificationPlace("Plans/PlanAdvancing.swift turn.notify", "passed_over") {
      let steps = try await $0.plan(PlanStep("one", 1, isRequired: false), PlanStep("two", 2))
      try await $0.books.fail(try #require(steps.first), isPermanent: true)
    },
    // The end of the plan itself, told of the kind "plan".
    NotificationPlace("Plans/PlanAdvancing.swift turn.notify", "succeeded") {
      try await $0.books.succeed(try #require(try await $0.plan(PlanStep("one", 1)).first))
    },
    NotificationPlace("Plans/PlanEvents.swift turn.notify", "event_kept") {
      let plan = PlanDefinition(
        name: PlanBooks.name, department: "init", steps: [PlanStep("one", 1)],
        events: [PlanEvent("push", rank: 2, kind: "step")], gates: [])
      try await $0.books.takeOver { $0.plans[PlanBooks.name] = PlanSettings(plan, startOn: .command) }
      let event = EventSubmission(id: JobID(), name: "push", content: JobContent(payload: []), reply: .test)
      #expect(try await $0.books.bookkeeper.accept([Incoming(.event(event))]).isEmpty)
    },
  ]

  private static let commands: [NotificationPlace] = [
    NotificationPlace("Commands/Cancelling.swift ending.endJob", "cancelled") {
      _ = try await $0.books.cancel(try await $0.books.release(Submission(id: JobID(), kind: "deposit")).job)
    },
    NotificationPlace("Commands/Operating.swift ending.endJob", "cancelled") {
      _ = try await $0.books.release(Submission(id: JobID(), kind: "deposit"))
      _ = try await $0.books.bookkeeper.begin(.cancel, JobSelection(department: "work"))
      try await $0.books.doChores()
    },
    NotificationPlace("Commands/ResettingKeys.swift ending.endJob", "cancelled") {
      _ = try await $0.keyed()
      _ = try await $0.books.bookkeeper.resetKeys("deposit", "a")
    },
    NotificationPlace("Commands/ResettingKeys.swift turn.tellFreed", "key_freed") {
      try await $0.books.succeed(try await $0.keyed())
      _ = try await $0.books.bookkeeper.resetKeys("deposit", "a")
    },
    NotificationPlace("Commands/ResettingKeys.swift turn.tellFreed", "key_freed") {
      _ = try await $0.books.bookkeeper.resetKeys("deposit", nil)
    },
    NotificationPlace("Commands/Resizing.swift turn.notify", "paused") {
      _ = try await $0.books.bookkeeper.setPaused("work", true)
    },
  ]

  private static let time: [NotificationPlace] = [
    NotificationPlace("Clock/DueJobs.swift ending.endJob", "failed") {
      _ = try await $0.books.bookkeeper.setPaused("work", true)
      try await $0.books.accept(Submission(id: JobID(), kind: "deposit", startBy: .within(.seconds(60))))
      try await $0.books.lookAtClock(after: .seconds(61))
    },
    NotificationPlace("Clock/Restoring.swift ending.endJob", "cancelled") {
      try await $0.books.accept(Submission(id: JobID(), kind: "deposit", runAt: .within(.seconds(60))))
      let ahead = NotificationPosition(epoch: 1, seq: 1_000)
      #expect(try await $0.books.bookkeeper.compare(withStreamAt: ahead, at: $0.books.now + .seconds(61)))
      for _ in 0..<5 { try await $0.books.lookAtClock(after: .seconds(61)) }
      _ = try await $0.books.bookkeeper.begin(.dropRestored, JobSelection())
      try await $0.books.doChores()
    },
    NotificationPlace("Clock/Retaining.swift turn.tellFreed", "key_freed") {
      try await $0.books.succeed(try await $0.keyed())
      $0.books.clock.pass(.seconds(61))
      try await $0.books.retain()
    },
    NotificationPlace("Order/Resolving.swift ending.endJob", "failed") {
      let first = try await $0.books.release(Submission(id: JobID(), kind: "deposit"))
      try await $0.books.accept(Submission(id: JobID(), kind: "loan", after: Dependencies(jobs: [first.job])))
      _ = try await $0.books.cancel(first.job)
      try await $0.books.doChores()
    },
    NotificationPlace("Order/Resolving.swift ending.endJob", "failed") {
      try await $0.books.accept(Submission(id: JobID(), kind: "loan", after: Dependencies(jobs: [JobID()])))
      await $0.books.bookkeeper.goOn(through: 0...601, after: $0.books.now)
      try await $0.books.bookkeeper.endUnknownDependencies()
    },
  ]
}
