import Testing
import TestSupport

@testable import JobModel

@Suite("The table of states")
struct JobProgressTests {
  let failure = JobFailure(code: "broken", message: "it broke")
  let success = AttemptResult.succeeded(result: [1], contentType: "text/plain")

  /// A job that was released once.
  func queued(maxAttempts: Int = 3) -> JobProgress {
    var progress = JobProgress(maxAttempts: maxAttempts)
    #expect(progress.apply(.lifted) == .release(interrupted: nil))
    return progress
  }

  @Test("lifting the last hold releases a job with its first token")
  func lifted() {
    var progress = queued()
    #expect(progress == JobProgress(state: .queued, attempt: 1, maxAttempts: 3, release: 1, token: 1))
    #expect(progress.apply(.lifted) == .ignore(.noSuchEdge))
  }

  @Test("a success ends the job")
  func succeeded() {
    var progress = queued()
    #expect(
      progress.apply(.reported(token: 1, success)) == .finish(.succeeded(result: [1], contentType: "text/plain")))
    #expect(progress.state == .succeeded)
    #expect(progress.apply(.reported(token: 1, success)) == .ignore(.alreadyFinal))
  }

  @Test("a failure is tried again until the attempts are used up")
  func retried() {
    var progress = queued(maxAttempts: 2)
    let result = AttemptResult.failed(failure, isPermanent: false)
    #expect(progress.apply(.reported(token: 1, result)) == .attemptFailed(number: 1, failure))
    #expect(progress.state == .held)
    #expect(progress.attempt == 2)
    #expect(progress.apply(.reported(token: 1, result)) == .ignore(.noSuchEdge))
    #expect(progress.apply(.lifted) == .release(interrupted: nil))
    #expect(progress.release == 2)
    #expect(progress.apply(.reported(token: 1, result)) == .ignore(.staleToken))
    #expect(progress.apply(.reported(token: 2, result)) == .finish(.failed(failure)))
  }

  @Test("a permanent failure ends the job at once")
  func permanent() {
    var progress = queued()
    #expect(progress.apply(.reported(token: 1, .failed(failure, isPermanent: true))) == .finish(.failed(failure)))
  }

  @Test("a snoozed job is held, with all its attempts; a discarded one is cancelled")
  func earlyEnds() {
    var progress = queued(maxAttempts: 1)
    #expect(progress.apply(.reported(token: 1, .snoozed(.seconds(5)))) == .snooze(.seconds(5)))
    #expect(progress == JobProgress(state: .held, attempt: 1, maxAttempts: 1, release: 1, token: 1))
    #expect(progress.apply(.lifted) == .release(interrupted: nil))
    #expect(progress.apply(.reported(token: 1, .snoozed(.seconds(5)))) == .ignore(.staleToken))
    #expect(progress.apply(.reported(token: 2, .discarded(failure))) == .finish(.cancelled(failure)))
  }

  @Test("a handler says how many attempts a job has only where nobody has said it before")
  func settled() {
    var said = queued(maxAttempts: 2)
    var counted = said.settle(attempts: 5)
    #expect(!counted)
    #expect(said.maxAttempts == 2)
    var unsaid = JobProgress(maxAttempts: nil)
    #expect(unsaid.maxAttempts == Submission.defaultMaxAttempts)
    counted = unsaid.settle(attempts: nil)
    #expect(!counted)
    counted = unsaid.settle(attempts: 5)
    #expect(counted)
    counted = unsaid.settle(attempts: 9)
    #expect(!counted)
    #expect(unsaid.maxAttempts == 5)
  }

  @Test("a first grant of a release is no evidence of a start, a second one is")
  func granted() {
    var progress = queued()
    #expect(progress.apply(.claimGranted) == .grant(interrupted: nil))
    #expect((progress.release, progress.token, progress.deaths) == (1, 2, 0))
    #expect(progress.apply(.claimGranted) == .grant(interrupted: nil))
    #expect((progress.release, progress.token, progress.deaths) == (1, 3, 1))
    #expect(progress.apply(.reported(token: 2, success)) == .ignore(.staleToken))
  }

  @Test("a grant whose answer was lost uses no attempt, unless the release was seen running")
  func grantedAnew() {
    var progress = queued(maxAttempts: 1)
    #expect(progress.apply(.claimGranted) == .grant(interrupted: nil))
    #expect(progress.apply(.claimGrantedAnew) == .grant(interrupted: nil))
    #expect((progress.release, progress.token, progress.attempt) == (1, 3, 1))
    #expect(progress.apply(.reported(token: 2, success)) == .ignore(.staleToken))
    _ = progress.apply(.seenRunning(release: 1))
    #expect(progress.apply(.claimGrantedAnew) == .finish(.failed(.lost())))
  }

  @Test("a grant after the release was seen running is one after a death")
  func grantedAfterRunning() {
    var progress = queued()
    #expect(progress.apply(.seenRunning(release: 1)) == .show)
    #expect(progress.visibleState == .running)
    #expect(progress.apply(.claimGranted) == .grant(interrupted: nil))
    #expect(progress.visibleState == .queued)
    #expect((progress.attempt, progress.deaths) == (1, 1))
  }

  @Test("a death uses up an attempt only where no other job can have been the cause")
  func charged() {
    for (blame, attempt) in [(Blame.alone, 2), (.inCompany, 1)] {
      var progress = queued()
      _ = progress.apply(.seenRunning(release: 1))
      progress.blame = blame
      #expect(progress.apply(.foundLost) == .release(interrupted: blame == .alone ? 1 : nil))
      #expect((progress.attempt, progress.deaths, progress.blame) == (attempt, 1, nil))
    }
  }

  @Test("a job that was running at two deaths is held, however it is taken back")
  func suspect() {
    for event in [JobTransition.claimGranted, .foundLost, .withdrawn] {
      var progress = queued()
      for _ in 1...2 {
        #expect(!progress.isSuspect)
        _ = progress.apply(.seenRunning(release: progress.release))
        progress.blame = .inCompany
        _ = progress.apply(event)
      }
      #expect((progress.state, progress.isSuspect, progress.attempt) == (.held, true, 1))
      #expect(progress.apply(.lifted) == .release(interrupted: nil))
    }
  }

  @Test("a suspect that cannot begin where it was claimed goes back, and is charged with nothing")
  func sentBack() {
    var progress = queued()
    #expect(progress.apply(.sentBack) == .ignore(.noSuchEdge))
    progress.deaths = 2
    #expect(progress.apply(.sentBack) == .withhold(interrupted: nil))
    #expect((progress.state, progress.attempt, progress.deaths) == (.held, 1, 2))
  }

  @Test("a job is poison when its attempts are used up by deaths of which no other job can have been the cause")
  func poison() {
    var progress = queued(maxAttempts: 2)
    progress.deaths = 2
    _ = progress.apply(.claimGranted)
    progress.blame = .alone
    #expect(progress.apply(.foundLost) == .withhold(interrupted: 1))
    _ = progress.apply(.lifted)
    _ = progress.apply(.claimGranted)
    progress.blame = .inCompany
    #expect(progress.apply(.foundLost) == .withhold(interrupted: nil))
    _ = progress.apply(.lifted)
    _ = progress.apply(.claimGranted)
    progress.blame = .alone
    #expect(progress.apply(.foundLost) == .finish(.failed(.poison(deaths: 5))))
  }

  @Test("a suspect of whose death nothing is known is charged with it, another job is not")
  func unknownDeath() {
    var progress = queued()
    _ = progress.apply(.claimGranted)
    #expect(progress.apply(.foundLost) == .release(interrupted: nil))
    progress.deaths = 2
    _ = progress.apply(.claimGranted)
    #expect(progress.apply(.foundLost) == .withhold(interrupted: 1))
  }

  @Test("with one attempt, a second grant and a loss end the job as lost")
  func atMostOnce() {
    var progress = queued(maxAttempts: 1)
    #expect(progress.apply(.claimGranted) == .grant(interrupted: nil))
    #expect(progress.apply(.claimGranted) == .finish(.failed(.lost())))
    progress = queued(maxAttempts: 1)
    _ = progress.apply(.claimGranted)
    #expect(progress.apply(.foundLost) == .finish(.failed(.lost())))
  }

  @Test("with one attempt, a release that was granted to nobody has not begun: it is not lost with its message")
  func neverBegun() {
    var progress = JobProgress(maxAttempts: 1)
    _ = progress.apply(.lifted)
    #expect(progress.apply(.foundLost) == .release(interrupted: nil))
    #expect(progress.release == 2 && progress.attempt == 1 && progress.deaths == 0)
    _ = progress.apply(.seenRunning(release: 2))
    #expect(progress.apply(.foundLost) == .finish(.failed(.lost())))
    // What an earlier epoch granted, nobody knows.
    progress = JobProgress(maxAttempts: 1)
    _ = progress.apply(.lifted)
    progress.lastTaken = JobProgress.lastNumber(before: 2)
    #expect(progress.apply(.foundLost) == .finish(.failed(.lost())))
  }

  @Test("a lost job is released anew, and only what had begun was running at a death")
  func lost() {
    var progress = queued()
    #expect(progress.apply(.foundLost) == .release(interrupted: nil))
    #expect((progress.release, progress.token, progress.attempt) == (2, 2, 1))
    _ = progress.apply(.seenRunning(release: 2))
    #expect(progress.apply(.foundLost) == .release(interrupted: nil))
    #expect((progress.release, progress.token, progress.deaths) == (3, 3, 1))
    #expect(progress.apply(.seenRunning(release: 2)) == .ignore(.noSuchEdge))
  }

  @Test("an epoch's numbers are above all that an earlier one may have used, and that is no evidence of a start")
  func epochs() {
    #expect(JobProgress.lastNumber(before: 1) == 0)
    #expect(JobProgress.lastNumber(before: 2) > 1_000_000)
    #expect(JobProgress.lastNumber(before: 3) > JobProgress.lastNumber(before: 2) + 1_000_000)
    var progress = queued()
    progress.lastTaken = JobProgress.lastNumber(before: 2)
    #expect(!progress.wasStarted)
    #expect(progress.apply(.claimGranted) == .grant(interrupted: nil))
    #expect(progress.token == progress.lastTaken + 1)
    #expect(progress.apply(.foundLost) == .release(interrupted: nil))
    #expect((progress.release, progress.deaths) == (progress.lastTaken + 2, 1))
  }

  @Test("a withdrawn release gives way to a new one, and was running at no death unless it was started")
  func withdrawn() {
    var progress = queued()
    #expect(progress.apply(.withdrawn) == .release(interrupted: nil))
    #expect(progress == JobProgress(state: .queued, attempt: 1, maxAttempts: 3, release: 2, token: 2))
    #expect(progress.apply(.reported(token: 1, success)) == .ignore(.staleToken))
    _ = progress.apply(.claimGranted)
    #expect(progress.apply(.withdrawn) == .release(interrupted: nil))
    #expect((progress.release, progress.token, progress.deaths) == (4, 4, 1))
  }

  @Test("with one attempt, a release that was never started is withdrawn and released anew; one that was is lost")
  func withdrawnOnce() {
    var progress = queued(maxAttempts: 1)
    #expect(progress.apply(.withdrawn) == .release(interrupted: nil))
    _ = progress.apply(.seenRunning(release: 2))
    #expect(progress.apply(.withdrawn) == .finish(.failed(.lost())))
    #expect(progress.apply(.withdrawn) == .ignore(.alreadyFinal))
  }

  @Test("a held job and a queued one can be failed from outside, and never leave that state")
  func failed() {
    var held = JobProgress(maxAttempts: 3)
    #expect(held.apply(.failed(.tooLate())) == .finish(.failed(.tooLate())))
    var progress = queued()
    #expect(progress.apply(.failed(failure)) == .finish(.failed(failure)))
    #expect(progress.visibleState == .failed)
    for event in [JobTransition.lifted, .withdrawn, .claimGranted, .cancelled(failure), .reported(token: 1, success)] {
      #expect(progress.apply(event) == .ignore(.alreadyFinal))
    }
  }

  @Test("a held job and a queued one can be cancelled")
  func cancelled() {
    var held = JobProgress(maxAttempts: 3)
    #expect(held.apply(.cancelled(failure)) == .finish(.cancelled(failure)))
    var progress = queued()
    _ = progress.apply(.seenRunning(release: 1))
    #expect(progress.apply(.cancelled(failure)) == .finish(.cancelled(failure)))
    #expect(progress.visibleState == .cancelled)
  }

  @Test("nothing but lifting, cancelling and failing moves a held job")
  func held() {
    let events: [JobTransition] = [
      .seenRunning(release: 0), .claimGranted, .claimGrantedAnew, .foundLost, .sentBack, .withdrawn,
      .reported(token: 0, success),
    ]
    for event in events {
      var progress = JobProgress(maxAttempts: 3)
      #expect(progress.apply(event) == .ignore(.noSuchEdge))
      #expect(progress == JobProgress(maxAttempts: 3))
    }
  }
}

@Suite("The table of states, any events")
struct JobProgressPropertyTests {
  static let rounds = 2_000
  static let eventsPerRound = 40

  @Test("no sequence of events breaks what the table promises")
  func promises() {
    var random = SeededRandom(for: "the table of states")
    for _ in 0..<Self.rounds {
      var progress = JobProgress(maxAttempts: Int.random(in: 1...4, using: &random))
      for _ in 0..<Self.eventsPerRound {
        let event = Self.event(for: progress, using: &random)
        progress.blame = [Blame.alone, .inCompany, nil].randomElement(using: &random) ?? nil
        let before = progress
        let effect = progress.apply(event)
        let broken = Self.brokenPromises(before, event, effect, progress)
        #expect(broken == [], "\(before) + \(event) = \(effect), \(progress); TELLER_TEST_SEED=\(random.seed)")
        if !broken.isEmpty { return }
      }
    }
  }

  static func event(for progress: JobProgress, using random: inout SeededRandom) -> JobTransition {
    let failure = JobFailure(code: "broken", message: "it broke")
    switch Int.random(in: 0..<13, using: &random) {
    case 12: return .sentBack
    case 10: return .withdrawn
    case 11: return Int.random(in: 0..<8, using: &random) == 0 ? .failed(failure) : .lifted
    case 0...2: return .lifted
    case 3: return .seenRunning(release: Int.random(in: 0...progress.token + 1, using: &random))
    case 4: return Bool.random(using: &random) ? .claimGranted : .claimGrantedAnew
    case 5: return .foundLost
    case 6: return Bool.random(using: &random) && Bool.random(using: &random) ? .cancelled(failure) : .lifted
    default:
      let token = Int.random(in: max(0, progress.token - 1)...progress.token + 1, using: &random)
      let isPermanent = Int.random(in: 0..<10, using: &random) == 0
      let result: AttemptResult =
        switch Int.random(in: 0..<20, using: &random) {
        case 0...3: .succeeded(result: [], contentType: nil)
        case 4: .discarded(failure)
        case 5, 6: .snoozed(.seconds(1))
        default: .failed(failure, isPermanent: isPermanent)
        }
      return .reported(token: token, result)
    }
  }

  /// The promises that one event broke, in words.
  static func brokenPromises(
    _ before: JobProgress, _ event: JobTransition, _ effect: JobEffect, _ after: JobProgress
  ) -> [String] {
    var broken: [String] = []
    func promise(_ holds: Bool, _ words: String) { if !holds { broken.append(words) } }
    promise(!before.state.isFinal || after == before, "a final state is never left")
    if case .ignore = effect { promise(after == before, "what is ignored changes nothing") }
    if case .reported(let token, _) = event, token != before.token {
      promise(after == before, "a stale token changes nothing")
    }
    promise(after.attempt >= before.attempt && after.attempt <= before.attempt + 1, "attempts go up one by one")
    promise((1...after.maxAttempts).contains(after.attempt), "attempts stay within their limit")
    promise(after.maxAttempts == before.maxAttempts, "the limit of attempts never changes")
    promise(after.deaths >= before.deaths && after.deaths <= before.deaths + 1, "deaths go up one by one")
    promise(after.attempt == before.attempt || !isDeathInCompany(before, after), "company is not charged")
    promise(after.token >= before.token, "a token never goes down")
    promise(after.release >= before.release && after.release <= after.token, "a release is one of the tokens")
    promise(after.state != .running, "running is never recorded")
    promise(!after.seenRunning || after.state == .queued, "only a released job is seen running")
    switch effect {
    case .finish(let outcome): promise(after.state == outcome.state, "the outcome is the state")
    case .release: promise(after.state == .queued && after.release == after.token, "a new release has a new token")
    case .grant: promise(after.token > before.token && after.release == before.release, "a grant renews the token")
    case .attemptFailed: promise(after.state == .held, "a failed attempt is held")
    case .snooze: promise(after.state == .held && after.attempt == before.attempt, "a snooze uses up no attempt")
    case .hold: promise(after.state == .held && after.token == before.token, "holding gives no token")
    case .withhold: promise(after.state == .held && after.isSuspect, "only suspects are held back")
    case .show: promise(after.token == before.token && after.state == before.state, "showing records nothing")
    case .ignore: break
    }
    promise(after.state.isFinal == before.state.isFinal || effect.isFinish, "only an outcome ends a job")
    return broken
  }

  private static func isDeathInCompany(_ before: JobProgress, _ after: JobProgress) -> Bool {
    after.deaths > before.deaths && before.blame == .inCompany
  }
}

extension JobEffect {
  fileprivate var isFinish: Bool { if case .finish = self { true } else { false } }
}
