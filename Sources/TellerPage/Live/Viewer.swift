import JobModel
import Teller

/// One stream of live news, and how far it has come. A pure value: what is sent next follows from it and from the desk.
struct Viewer: Hashable, Sendable {
  /// Whose jobs are shown.
  let departments: Set<Department>
  /// Until when it waits for a board with all that is to follow it.
  private let overdue: ContinuousClock.Instant
  /// The number of the next event; nil: the stream needs a picture first.
  private(set) var next: Int?
  /// Recorded events up to this one are known to the stream already.
  private(set) var floor: EventPosition?
  /// What was sent last.
  private var (board, state, beat) = (0, 0, 0)
  /// Whether the stream has got a picture without the events behind it, since no board came in time.
  private var hasOldPicture = false

  init(
    _ departments: Set<Department>, opened: ContinuousClock.Instant, firstBoard: Duration = HubLimits.firstBoard
  ) {
    (self.departments, overdue) = (departments, opened + firstBoard)
  }

  /// What is sent next.
  enum Delivery: Hashable, Sendable {
    case picture
    case board
    /// The events with these numbers, without those up to `floor`.
    case events(Range<Int>, floor: EventPosition?)
    case skipped(Int)
    case state
    case beat
  }

  /// What there is to send.
  struct Supply {
    var ring: EventRing
    /// Events up to this number may be sent.
    var released: Int
    /// The newest board; 0: there is none. `place`: the last event that it knows of.
    var board = 0
    var place: EventPosition?
    /// Whether all events behind the board are in the ring, or will be.
    var isBoardFollowed = false
    /// The departments whose jobs the board does not have, and the next one may have.
    var rowless: Set<Department> = []
    var state = 1
    var beat = 0
  }

  /// Goes on behind an event that the stream has had, if all events behind that one are there.
  mutating func resume(behind position: EventPosition, _ ring: EventRing) {
    guard let number = ring.number(behind: position) else { return }
    (next, floor) = (number, position)
  }

  /// Some events were missed: a new picture has to come.
  mutating func restart() { (next, floor, hasOldPicture) = (nil, nil, false) }

  /// Whether the stream is to have a picture now, even an old one.
  func wantsOldPicture(_ now: ContinuousClock.Instant) -> Bool {
    next == nil && !hasOldPicture && isOverdue(now)
  }

  private func hasRows(_ supply: Supply) -> Bool { supply.rowless.isDisjoint(with: departments) }

  private func isOverdue(_ now: ContinuousClock.Instant) -> Bool { now >= overdue }

  /// What is sent next, and then counts as sent; nil: nothing.
  mutating func take(_ supply: Supply, now: ContinuousClock.Instant) -> Delivery? {
    guard let next else { return first(supply, now) }
    if next < supply.ring.first {
      self.next = supply.released
      return .skipped(supply.released - next)
    }
    if supply.state != state {
      state = supply.state
      return .state
    }
    // A board of before would show departments without their jobs.
    if supply.board > board, hasRows(supply) || isOverdue(now) {
      board = supply.board
      return .board
    }
    if next < supply.released { return events(from: next, supply) }
    return beat(supply)
  }

  private mutating func events(from next: Int, _ supply: Supply) -> Delivery {
    let numbers = next..<min(supply.released, next + HubLimits.message)
    self.next = numbers.upperBound
    defer { if isPast(numbers, supply.ring) { floor = nil } }
    return .events(numbers, floor: floor)
  }

  /// Whether the events that are known to the stream already are all behind it.
  private func isPast(_ numbers: Range<Int>, _ ring: EventRing) -> Bool {
    guard let floor else { return true }
    return ring.entries(numbers).contains { $0.position.map { $0 > floor } ?? false }
  }

  /// A stream begins with a picture. When there is no board that the events follow, it waits a while for one, and has the
  /// old one, or none, until then.
  private mutating func first(_ supply: Supply, _ now: ContinuousClock.Instant) -> Delivery? {
    // Without a number the ring does not reach back to the board: a newer one comes soon.
    let isNew = supply.isBoardFollowed && (hasRows(supply) || isOverdue(now))
    if isNew, let place = supply.place, let number = supply.ring.number(behind: place) {
      (next, floor, board, state) = (number, place, supply.board, supply.state)
      return .picture
    }
    if !hasOldPicture {
      guard wantsOldPicture(now) else { return nil }
      (hasOldPicture, board, state) = (true, supply.board, supply.state)
      return .picture
    }
    if supply.state != state {
      state = supply.state
      return .state
    }
    return beat(supply)
  }

  private mutating func beat(_ supply: Supply) -> Delivery? {
    guard supply.beat > beat else { return nil }
    beat = supply.beat
    return .beat
  }
}
