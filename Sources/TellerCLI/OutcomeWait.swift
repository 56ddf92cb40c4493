import JobModel
import JobTransport
import Teller

/// The wait for the outcomes of jobs, with one question about all of them at a time. The coordinator may be replaced
/// meanwhile: a question that it took along is asked again.
struct OutcomeWait: Sendable {
  /// How many jobs one question is about.
  static let portion = 500
  /// How long one question stays open. A lost one costs this much, and the limit for its answer.
  static let turn: Duration = .seconds(5)
  /// The same about several jobs: it is answered when all have ended, so this is how late the first may be told of.
  static let sharedTurn: Duration = .seconds(1)

  /// Before a question that was in vain is asked again.
  static let pause: Duration = .milliseconds(200)
  /// With so much of the time left a question is the last one. Before that none may take more than half of what is
  /// left: a coordinator that is replaced forgets it, and then it must be asked once more.
  static let lastTurn: Duration = .milliseconds(400)
  /// What is left of the time for the last answer to arrive in: the coordinator is asked to give it so much earlier.
  static let lastMoment: Duration = .milliseconds(100)
  /// For the answer to a question.
  static let requestLimit: Duration = .seconds(5)

  /// The timeouts for the client that asks.
  static var timeouts: ClientTimeouts { timeouts(timeout: nil) }

  /// The same for whoever says how long all of it may take, the connection included.
  static func timeouts(timeout: Duration?) -> ClientTimeouts {
    var timeouts = ClientTimeouts.forPeople
    timeouts.request = requestLimit
    if let timeout { timeouts.connect = min(timeouts.connect, timeout) }
    return timeouts
  }

  /// How long neither broker nor coordinator may answer.
  static let patience = ClientTimeouts.forPeople.coordinator

  /// Nil: as long as a coordinator answers.
  let deadline: ContinuousClock.Instant?
  let client: TellerClient

  /// Waits until all of them have ended.
  ///
  /// - Parameters:
  ///   - jobs: At most `portion`, each once.
  ///   - show: Gets each job when it has ended.
  /// - Throws: `Failure` with `timedOut`; `TellerError` when a job is not known, or neither broker nor coordinator has
  ///   answered for `ClientTimeouts.coordinator`; what `show` throws.
  func run(_ jobs: [JobID], show: (JobDocument) throws -> Void) async throws {
    var question = OutcomeQuestion(jobs)
    var lastAnswer = ContinuousClock.now
    var isOver = false
    while let ids = question.next {
      // What has ended by then is asked for all the same.
      guard let turn = WaitTurn(left: left, jobs: ids.count), !isOver || question.hasOmitted else {
        throw Failure(.timedOut, "the time limit has passed, and \(question.text); that may still happen")
      }
      do {
        let answer = try await client.wait(for: ids, limit: turn.limit, patience: turn.patience)
        for document in answer.finished { try show(document) }
        if let unknown = answer.unknown.first { throw TellerError.unknownJob(unknown) }
        question.answered(answer)
        (lastAnswer, isOver) = (.now, turn.isLast)
      } catch TellerError.refused(let failure) where failure.code == JobFailure.busyCode {
        // The client has paused before it gave up, and there is a coordinator.
        lastAnswer = .now
      } catch let error as TellerError where error.mayPass && lastAnswer.duration(to: .now) < OutcomeWait.patience {
        try await Task.sleep(for: min(OutcomeWait.pause, max(.zero, left ?? OutcomeWait.pause)))
      } catch TellerError.noCoordinator {
        // Not the last question alone.
        throw TellerError.noCoordinator(silentFor: OutcomeWait.patience)
      }
    }
  }

  private var left: Duration? { deadline.map { ContinuousClock.now.duration(to: $0) } }
}

/// How long one question about outcomes may take.
struct WaitTurn: Equatable {
  /// How long the coordinator may keep it open.
  let limit: Duration
  /// Until its answer has come.
  let patience: Duration
  /// Whether the time is over once it is answered.
  let isLast: Bool

  /// Nil: the time is over.
  ///
  /// - Parameters:
  ///   - left: Of the time for all questions together; nil: there is no limit.
  ///   - jobs: How many it is about.
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
  /// Whether it may be only for as long as a broker or a coordinator is being replaced.
  var mayPass: Bool {
    switch self {
    case .noCoordinator, .brokerUnavailable: true
    default: false
    }
  }
}

/// Which jobs to ask about next.
struct OutcomeQuestion: Equatable {
  /// The jobs that are not known to have ended, or whose outcomes have not come.
  private(set) var left: [JobID]
  /// Those that have ended, and whose outcomes did not fit into the last answer.
  private var omitted: [JobID] = []

  init(_ jobs: [JobID]) {
    left = jobs
  }

  /// Nil: all outcomes have come.
  var next: [JobID]? { left.isEmpty ? nil : omitted.isEmpty ? left : omitted }

  /// Whether there are outcomes that have only to be fetched.
  var hasOmitted: Bool { !omitted.isEmpty }

  /// Takes in an answer to the question about `next`.
  mutating func answered(_ answer: WaitDocument) {
    let finished = Set(answer.finished.map(\.id))
    left.removeAll(where: finished.contains)
    omitted = answer.omitted
  }

  /// For people.
  var text: String {
    left.count == 1 ? "job \(left[0]) has not ended" : "jobs such as \(left[0]) have not ended"
  }
}
