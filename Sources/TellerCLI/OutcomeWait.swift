import JobModel
import JobTransport
import Teller

/// The wait for the outcomes of jobs, with one question about all of them at a time. The coordinator may be replaced
/// meanwhile: then the question is asked again.
struct OutcomeWait: Sendable {
  /// How many jobs one question is about.
  static let portion = 500
  /// How long the coordinator keeps a question about one job open. A lost question costs this and the limit for its answer.
  static let turn: Duration = .seconds(5)
  /// The same for a question about several jobs. The answer comes when all have ended, so this is also how late the first
  /// outcome may be printed.
  static let sharedTurn: Duration = .seconds(1)

  /// The pause before a question that was not answered is asked again.
  static let pause: Duration = .milliseconds(200)
  /// With so much of the time left a question is the last one. An earlier question takes at most half of the time left: a
  /// coordinator that is replaced forgets it, and then it must be asked once more.
  static let lastTurn: Duration = .milliseconds(400)
  /// The time for the last answer to arrive in: the coordinator is asked to give it so much earlier.
  static let lastMoment: Duration = .milliseconds(100)
  /// The timeout for the answer to a question.
  static let requestLimit: Duration = .seconds(5)

  /// The timeouts of the client that asks. `timeout`: the limit for the whole wait, the connection included.
  static func timeouts(timeout: Duration? = nil) -> ClientTimeouts {
    var timeouts = ClientTimeouts.forPeople
    timeouts.request = requestLimit
    if let timeout { timeouts.connect = min(timeouts.connect, timeout) }
    return timeouts
  }

  /// How long the wait goes on without an answer of broker and coordinator.
  static let patience = ClientTimeouts.forPeople.coordinator

  /// When the wait ends; nil: it goes on as long as a coordinator answers.
  let deadline: ContinuousClock.Instant?
  let client: TellerClient

  /// Waits until all jobs have ended.
  ///
  /// - Parameters:
  ///   - jobs: At most `portion`, each once.
  ///   - show: Called with each job once it has ended.
  /// - Throws: `Failure` with `timedOut`; `TellerError` when a job is not known, or neither broker nor coordinator has
  ///   answered for `ClientTimeouts.coordinator`; the error of `show`.
  func run(_ jobs: [JobID], show: (JobDocument) throws -> Void) async throws {
    var question = OutcomeQuestion(jobs)
    var lastAnswer = ContinuousClock.now
    var isOver = false
    while let ids = question.next {
      // After the last turn omitted outcomes are still fetched.
      guard let turn = WaitTurn(left: left, jobs: ids.count), !isOver || question.hasOmitted else {
        throw Failure(.timedOut, "the time limit has passed, and \(question.text); that may still happen")
      }
      do {
        let answer = try await client.outcomes(of: ids, limit: turn.limit, patience: turn.patience)
        for document in answer.finished { try show(document) }
        if let unknown = answer.unknown.first { throw TellerError.unknownJob(unknown) }
        question.answered(answer)
        (lastAnswer, isOver) = (.now, turn.isLast)
      } catch TellerError.refused(let failure) where failure.code == JobFailure.busyCode {
        // There is a coordinator, and the client has paused between its questions.
        lastAnswer = .now
      } catch let error as TellerError where error.mayPass && lastAnswer.duration(to: .now) < OutcomeWait.patience {
        try await Task.sleep(for: min(OutcomeWait.pause, max(.zero, left ?? OutcomeWait.pause)))
      } catch TellerError.noCoordinator {
        // With the time of all questions, not of the last one alone.
        throw TellerError.noCoordinator(silentFor: OutcomeWait.patience)
      }
    }
  }

  private var left: Duration? { deadline.map { ContinuousClock.now.duration(to: $0) } }
}

/// How long one question about outcomes may take.
struct WaitTurn: Equatable {
  /// How long the coordinator may keep the question open.
  let limit: Duration
  /// How long the answer may take.
  let patience: Duration
  /// Whether this is the last question.
  let isLast: Bool

  /// Nil: the time is over. `left`: the time for all questions; nil: there is no limit. `jobs`: how many the question
  /// is about.
  init?(left: Duration?, jobs: Int) {
    let usual = jobs == 1 ? OutcomeWait.turn : OutcomeWait.sharedTurn
    let longest = usual + OutcomeWait.requestLimit
    if let left, left <= .zero { return nil }
    if let left, left <= OutcomeWait.lastTurn {
      (limit, patience, isLast) = (max(.zero, left - OutcomeWait.lastMoment), left, true)
    } else {
      patience = left.map { min(longest, $0 / 2) } ?? longest
      (limit, isLast) = (min(usual, patience / 2), false)
    }
  }
}

extension TellerError {
  /// Whether the error may pass: a broker or a coordinator may be in the middle of being replaced.
  var mayPass: Bool {
    switch self {
    case .noCoordinator, .brokerUnavailable: true
    default: false
    }
  }
}

/// The jobs to ask about next.
struct OutcomeQuestion: Equatable {
  /// The jobs without an outcome here.
  private(set) var left: [JobID]
  /// The jobs whose outcomes did not fit into the last answer.
  private var omitted: [JobID] = []

  init(_ jobs: [JobID]) {
    left = jobs
  }

  /// Nil: all outcomes have come.
  var next: [JobID]? { left.isEmpty ? nil : omitted.isEmpty ? left : omitted }

  /// Whether the coordinator has outcomes that did not fit into the last answer.
  var hasOmitted: Bool { !omitted.isEmpty }

  /// Takes in an answer to the question about `next`.
  mutating func answered(_ answer: WaitDocument) {
    let finished = Set(answer.finished.map(\.id))
    left.removeAll(where: finished.contains)
    omitted = answer.omitted
  }

  /// The jobs without an outcome, for people.
  var text: String {
    left.count == 1 ? "job \(left[0]) has not ended" : "jobs such as \(left[0]) have not ended"
  }
}
