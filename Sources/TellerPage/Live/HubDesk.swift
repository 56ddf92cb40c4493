import JobModel
import Teller

/// What the hub knows, and what it decides: when the coordinator is asked, what each stream is sent, when nobody looks. A
/// pure value: the ``Hub`` carries it out.
struct HubDesk {
  /// Names a stream.
  typealias ViewerID = Int

  private(set) var supply: Viewer.Supply
  private(set) var viewers: [ViewerID: Viewer] = [:]
  private var lastViewer = 0
  /// When the last stream ended; nil while there is one, and before the first.
  private var emptySince: ContinuousClock.Instant?
  /// Since when all events are read; nil: they are not.
  private(set) var readingSince: ContinuousClock.Instant?
  /// The question that is under way.
  private var question: Question?
  private var lastQuestion = Question(number: 0, departments: [], asked: nil)
  /// Whether something has happened since the last question.
  private var isChanged = false
  private var answers = PageState.Answers()
  private(set) var state = PageState.connected
  private(set) var stateSince: Timestamp
  private var lastRelease: ContinuousClock.Instant?
  private var lastBeat: ContinuousClock.Instant?
  /// The departments of the last board; nil: there was none.
  private var known: Set<Department>?

  private let firstBoard: Duration

  init(now: Timestamp, ring: Int = HubLimits.ring, firstBoard: Duration = HubLimits.firstBoard) {
    supply = Viewer.Supply(ring: EventRing(limit: ring), released: 0)
    (stateSince, self.firstBoard) = (now, firstBoard)
  }

  // MARK: Streams

  /// Adds a stream. `after`: the last event that it has had.
  mutating func open(
    _ departments: [Department], after: EventPosition?, now: ContinuousClock.Instant
  ) -> ViewerID {
    var viewer = Viewer(Set(departments), opened: now, firstBoard: firstBoard)
    if let after { viewer.resume(behind: after, supply.ring) }
    lastViewer += 1
    viewers[lastViewer] = viewer
    emptySince = nil
    isChanged = true
    return lastViewer
  }

  mutating func close(_ id: ViewerID, now: ContinuousClock.Instant) {
    guard viewers.removeValue(forKey: id) != nil, viewers.isEmpty else { return }
    emptySince = now
  }

  /// What a stream is sent next; nil: nothing now.
  mutating func take(for id: ViewerID, now: ContinuousClock.Instant) -> Viewer.Delivery? {
    viewers[id]?.take(supply, now: now)
  }

  /// Something was changed by the page itself.
  mutating func changed() { isChanged = true }

  // MARK: Events

  /// All events from now on will be taken in.
  mutating func began(now: ContinuousClock.Instant) {
    readingSince = readingSince ?? now
    isChanged = true
  }

  /// When events may be sent.
  enum Release: Hashable { case now, at(ContinuousClock.Instant), known }

  /// Takes in an event. `known`: when it may be sent is known already.
  mutating func take(_ entry: EventRing.Entry, now: ContinuousClock.Instant) -> Release {
    let isFirst = supply.released == supply.ring.end
    supply.ring.append(entry)
    isChanged = true
    guard isFirst || supply.released < supply.ring.first else { return .known }
    guard let last = lastRelease, now < last + HubLimits.eventsPause else {
      release(now: now)
      return .now
    }
    return isFirst ? .at(last + HubLimits.eventsPause) : .known
  }

  /// The events that were taken in may be sent.
  mutating func release(now: ContinuousClock.Instant) {
    supply.released = supply.ring.end
    lastRelease = now
  }

  /// Events may be missing: every stream gets a new picture.
  mutating func missed() {
    supply.ring.restart()
    supply.released = supply.ring.end
    supply.isBoardFollowed = false
    readingSince = nil
    for id in viewers.keys { viewers[id]?.restart() }
  }

  /// Behind which event the reading goes on; nil: with the next one. That of a board does not do: where the broker keeps
  /// it nobody has said, and all that the broker keeps would be read.
  var resumption: EventPosition? { supply.ring.last }

  // MARK: Boards

  /// A question to the coordinator.
  struct Question: Hashable {
    let number: Int
    /// The departments whose jobs it asks for.
    let departments: [Department]
    let asked: ContinuousClock.Instant?
  }

  /// Which departments are shown with their jobs, all together. A name that is no department would be refused.
  private var shown: [Department] {
    let wanted = Set(viewers.values.flatMap(\.departments))
    return Array((known.map(wanted.intersection) ?? wanted).sorted().prefix(HubLimits.shown))
  }

  /// The question that is due; it counts as asked then. Nil: none.
  mutating func questionDue(now: ContinuousClock.Instant) -> Question? {
    guard !viewers.isEmpty, question == nil else { return nil }
    let pause = isChanged ? HubLimits.boardPause : HubLimits.quietBoardPause
    // Where many departments are shown, one board takes several questions.
    let count = max(1, (lastQuestion.departments.count + BoardQuery.mostDepartments - 1) / BoardQuery.mostDepartments)
    if let asked = lastQuestion.asked, now < asked + pause * count { return nil }
    let due = Question(number: lastQuestion.number + 1, departments: shown, asked: now)
    (question, lastQuestion, isChanged) = (due, due, false)
    return due
  }

  /// A question has its answer.
  ///
  /// - Returns: whether the board is the newest one: a question of an earlier time may be answered late.
  mutating func answered(_ number: Int, by board: Board) -> Bool {
    guard let question, let asked = question.asked, question.number == number else { return false }
    self.question = nil
    answers = PageState.Answers(broker: board.broker.state)
    known = Set(board.departments.map(\.status.department))
    (supply.board, supply.place) = (supply.board + 1, board.place)
    let isFull = question.departments.count >= HubLimits.shown
    supply.rowless = isFull ? [] : (known ?? []).subtracting(question.departments)
    supply.isBoardFollowed = readingSince.map { $0 <= asked } ?? false
    if supply.isBoardFollowed { supply.ring.begin(behind: board.place) }
    return true
  }

  /// A question has no answer.
  mutating func failed(_ number: Int, _ problem: PageProblem) {
    guard question?.number == number else { return }
    (question, answers.problem) = (nil, problem)
    // One stream asks for a department that is not there: the next board says which are, and until then none is named.
    if problem.code == JobFailure.Code.unknownDepartment { (known, answers.problem) = ([], nil) }
  }

  // MARK: Time

  /// What time has brought.
  struct Tick: Hashable {
    /// Whether some stream may have something to send now.
    var wakes = false
    /// Whether nobody looks any more, and has not for long.
    var isOver = false
  }

  mutating func tick(
    _ standing: ClientStanding, now: ContinuousClock.Instant, moment: Timestamp
  ) -> Tick {
    if let emptySince, now >= emptySince + HubLimits.linger { return Tick(isOver: true) }
    answers.waiting = question?.asked.map { now - $0 } ?? .zero
    let isNew = note(.of(standing, answers), moment)
    let isDue = lastBeat.map { now >= $0 + HubLimits.beat } ?? true
    if isDue { (supply.beat, lastBeat) = (supply.beat + 1, now) }
    return Tick(wakes: isNew || isDue || viewers.values.contains { $0.wantsOldPicture(now) })
  }

  private mutating func note(_ new: PageState, _ moment: Timestamp) -> Bool {
    guard new != state else { return false }
    (state, stateSince) = (new, moment)
    supply.state += 1
    return true
  }

  /// Nobody looks: what was read is forgotten.
  mutating func end() {
    missed()
    (emptySince, question, lastBeat) = (nil, nil, nil)
    answers = PageState.Answers()
  }
}
