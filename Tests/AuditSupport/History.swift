package import JobModel
import Synchronization

/// One thing that somebody wanted of the system: asked at a moment, and answered at a later one, or never.
package struct Operation: Hashable, Sendable {
  package enum Wish: Hashable, Sendable {
    /// To have the broker take a submission.
    case submit
    /// To hear that a submission is accepted.
    case accept
    /// To hear how a job has ended.
    case wait
    /// To hear how a job stands.
    case show
    /// To have a job taken back.
    case cancel
  }

  package enum Ending: Hashable, Sendable {
    /// It was done; with what was learnt of the job.
    case ok(Sighting?)
    /// It was refused: it has not happened, and will not.
    case failed(String)
    /// Nobody can tell: no answer came.
    case unknown(String)
  }

  package let wish: Wish
  package let job: JobID
  package let invoked: Moment
  package var ended: Moment?
  /// Nil as long as it is under way.
  package var ending: Ending?

  package init(wish: Wish, job: JobID, invoked: Moment, ended: Moment? = nil, ending: Ending? = nil) {
    self.wish = wish
    self.job = job
    self.invoked = invoked
    self.ended = ended
    self.ending = ending
  }
}

/// What an answer says of a job.
package struct Sighting: Hashable, Sendable {
  package var state: JobState
  /// Nil where the answer does not say it.
  package var attempt: Int?

  package init(state: JobState, attempt: Int? = nil) {
    self.state = state
    self.attempt = attempt
  }
}

/// What was submitted, as its submitter sees it.
package enum Knowledge: Int, Hashable, Sendable, Comparable {
  /// There is no answer: it may be there or not.
  case unknown
  /// It was refused.
  case rejected
  /// The broker has confirmed it.
  case confirmed
  /// The coordinator has answered that it is recorded.
  case accepted

  package static func < (left: Knowledge, right: Knowledge) -> Bool { left.rawValue < right.rawValue }
}

/// Everything that was wanted of the system, in the order in which it was asked.
package struct Record: Sendable {
  package private(set) var operations: [Operation] = []
  /// What each submission asks for.
  package private(set) var wanted: [JobID: Wanted] = [:]
  /// Of submissions that were answered as duplicates: the job that has their key.
  package private(set) var originals: [JobID: JobID] = [:]
  /// The jobs that were given another rank.
  package var moved: Set<JobID> = []
  /// Keys that are free again when their job has ended: one job after the other has them.
  package var keysWhileLive: Set<String> = []
  /// What is known of the steps of all plans; nil: nothing.
  package var steps: KnownSteps?

  package init() {}

  package mutating func want(_ wanted: Wanted, of job: JobID) { self.wanted[job] = wanted }
  package mutating func learn(original: JobID, of job: JobID) { originals[job] = original }

  package mutating func invoke(_ wish: Operation.Wish, _ job: JobID, at moment: Moment) -> Int {
    operations.append(Operation(wish: wish, job: job, invoked: moment))
    return operations.count - 1
  }

  package mutating func end(_ number: Int, _ ending: Operation.Ending, at moment: Moment) {
    operations[number].ended = moment
    operations[number].ending = ending
  }

  /// What is known of each job that was submitted.
  package var submitted: [JobID: Knowledge] {
    var known: [JobID: Knowledge] = [:]
    for operation in operations {
      guard let news = operation.news else { continue }
      known[operation.job] = max(known[operation.job] ?? .unknown, news)
    }
    return known
  }

  /// The answers about jobs, each with the moments between which it was true.
  package var sightings: [JobID: [(asked: Moment, answered: Moment, what: Sighting)]] {
    operations.reduce(into: [:]) { sightings, operation in
      guard case .ok(let what?) = operation.ending, let ended = operation.ended else { return }
      sightings[operation.job, default: []].append((operation.invoked, ended, what))
    }
  }

  /// The jobs that were submitted since a moment.
  package func submissions(since moment: Moment) -> Set<JobID> {
    Set(operations.filter { $0.wish == .submit && $0.invoked >= moment }.map(\.job))
  }

  /// The jobs that are promised not to be lost: those that were answered as accepted, and those that the broker confirmed,
  /// unless it lost its disk after they were submitted.
  package func promised(_ wipes: [Wipe]) -> Set<JobID> {
    let last = wipes.map(\.until).max()
    return Set(
      operations.filter { operation in
        guard case .ok? = operation.ending else { return false }
        return switch operation.wish {
        case .accept: true
        case .submit: last.map { operation.invoked > $0 } ?? true
        default: false
        }
      }.map(\.job))
  }

  /// When it was first asked for.
  package var submittedAt: [JobID: Moment] {
    operations.reduce(into: [:]) { moments, operation in
      if operation.wish == .submit, moments[operation.job] == nil { moments[operation.job] = operation.invoked }
    }
  }

  /// The first moment at which somebody had been told that the job has ended.
  package var knownToHaveEnded: [JobID: Moment] {
    operations.reduce(into: [:]) { moments, operation in
      guard case .ok(let seen?) = operation.ending, seen.state.isFinal, let ended = operation.ended else { return }
      moments[operation.job] = min(moments[operation.job] ?? ended, ended)
    }
  }

  /// Jobs that have failed, as their customers were told, and that an operator may replay.
  package func replayable(since first: Int) -> [JobID] {
    operations.dropFirst(first).compactMap { operation in
      guard operation.wish == .wait, case .ok(let seen?) = operation.ending, seen.state == .failed,
        wanted[operation.job]?.mayBeReplayed == true
      else { return nil }
      return operation.job
    }
  }

  /// The longest time since a moment in which nobody heard of a success, up to the last that was heard of.
  package func longestSilence(since moment: Moment) -> Duration {
    let heard = operations.filter(\.hasSucceeded).compactMap(\.ended).filter { $0 > moment }.sorted()
    return zip([moment] + heard, heard).map { $1 - $0 }.max() ?? .zero
  }

  /// When the first job that was submitted after a moment was known to have succeeded.
  package func firstSuccess(ofJobsSince moment: Moment) -> Moment? {
    let late = submissions(since: moment)
    return operations.filter { late.contains($0.job) && $0.hasSucceeded }.compactMap(\.ended).min()
  }
}

extension Operation {
  /// What it says of its job as a submission; nil when it says nothing.
  fileprivate var news: Knowledge? {
    switch (wish, ending) {
    case (.submit, .ok): .confirmed
    case (.accept, .ok): .accepted
    case (.submit, .failed), (.accept, .failed): .rejected
    case (.submit, _): .unknown
    default: nil
    }
  }

  fileprivate var hasSucceeded: Bool {
    guard wish == .wait, case .ok(let what?) = ending else { return false }
    return what.state == .succeeded
  }
}

/// A record that many tasks write. Bounded: when it is full, nobody may want anything more.
package final class History: Sendable {
  /// Twenty minutes of a mix make a tenth of it.
  package static let limit = 1_000_000

  private let present = Mutex(Record())

  package init() {}

  /// What was written so far.
  package var record: Record { present.withLock { $0 } }

  /// Somebody submits this from now on; nil when the history is full.
  package func submit(_ job: JobID, _ wanted: Wanted) -> Int? {
    present.withLock { $0.want(wanted, of: job) }
    return invoke(.submit, job)
  }

  /// A submission was a duplicate.
  package func learn(original: JobID, of job: JobID) { present.withLock { $0.learn(original: original, of: job) } }

  /// Somebody wants something from now on; nil when the history is full.
  package func invoke(_ wish: Operation.Wish, _ job: JobID) -> Int? {
    present.withLock { record in
      record.operations.count < History.limit ? record.invoke(wish, job, at: .now) : nil
    }
  }

  /// What became of it.
  package func end(_ number: Int, _ ending: Operation.Ending) { present.withLock { $0.end(number, ending, at: .now) } }
}
