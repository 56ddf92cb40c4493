/// Takes numbered updates as they come, and says what becomes of each: a pure value, without a clock and without tasks.
///
/// Updates come twice, or in another order, or not at all. And while one is shown, another one may be made from a version
/// that is not the present one any more. Here they become one sequence:
///
///     var updates = OrderedUpdates<Change>(from: page.version)
///     switch updates.receive(update) {
///     case .take(let taken): for update in taken { page.take(update) }
///     case .fetch(let numbers): fetch(numbers)
///     case .drop: break
///     case .startAgain: readWholePage()
///     }
///
/// | an update | what becomes of it |
/// |---|---|
/// | is the next one, made from the present version | it is applied, and its number is the version |
/// | is the next one, made from another version | it is stale: refused, and the version stays |
/// | came before | it is dropped |
/// | leaves out others | it is held back, and the missing ones are to be fetched |
///
/// Numbers may be those of recorded events (`event.position?.sequence`) where a watch tells all of them; a new epoch of the
/// ledger is a reason to begin again with ``init(from:last:)``.
public struct OrderedUpdates<Change: Sendable>: Sendable {
  /// An update in its order.
  public enum Taken: Sendable {
    /// It was made from the present version: apply it.
    case apply(OrderedUpdate<Change>)
    /// It was made from another version than the present one, which is given. Nothing of it is applied.
    case refuse(OrderedUpdate<Change>, present: Int64)
  }

  /// The next step.
  public enum Step: Sendable {
    /// Take these, one after the other.
    case take([Taken])
    /// Updates with these numbers are missing: fetch them, and give them to ``receive(_:)``. They are named once; until
    /// they are here, ``missing`` names them.
    case fetch(ClosedRange<Int64>)
    /// The update is known, or waits for others that are being fetched: do nothing.
    case drop
    /// More updates would be held back than ``heldLimit``: read the whole state again, and begin from its version.
    case startAgain
  }

  /// The most updates that are held back.
  public static var heldLimit: Int { 256 }

  /// The number of the last update that was applied: the version of the state.
  public private(set) var version: Int64
  /// The number of the last update that was applied or refused.
  public private(set) var last: Int64
  private var held: [Int64: OrderedUpdate<Change>] = [:]
  /// The numbers that were named to be fetched, up to this one.
  private var named: Int64

  /// Begins with a state that was read as a whole.
  ///
  /// - Parameters:
  ///   - version: Its version: the number of the last update that was applied to it.
  ///   - last: The number of the last update that it knows, also if that was refused; nil: the version.
  public init(from version: Int64, last: Int64? = nil) {
    self.version = version
    self.last = max(version, last ?? version)
    named = self.last
  }

  /// The numbers of the updates that are missing before the first one that is held back; nil: none are.
  public var missing: ClosedRange<Int64>? {
    guard let first = held.keys.min(), first > last + 1 else { return nil }
    return last + 1...first - 1
  }

  /// Takes in an update.
  public mutating func receive(_ update: OrderedUpdate<Change>) -> Step {
    guard update.number > last, held[update.number] == nil else { return .drop }
    guard update.number == last + 1 else { return hold(update) }
    return .take([take(update)] + takeHeld())
  }

  /// Begins again with a state that was read as a whole. What is held back beyond it stays.
  ///
  /// - Returns: What is to be taken on top of that state, one after the other.
  public mutating func startAgain(from version: Int64, last: Int64? = nil) -> [Taken] {
    self.version = version
    self.last = max(version, last ?? version)
    named = self.last
    held = held.filter { $0.key > self.last }
    return takeHeld()
  }

  private mutating func takeHeld() -> [Taken] {
    var taken: [Taken] = []
    while let next = held.removeValue(forKey: last + 1) { taken.append(take(next)) }
    return taken
  }

  private mutating func hold(_ update: OrderedUpdate<Change>) -> Step {
    if held.count >= Self.heldLimit { return .startAgain }
    held[update.number] = update
    let first = max(last, named) + 1
    // What was named before is on its way, and so is what is held back.
    named = max(named, update.number)
    guard first < update.number else { return .drop }
    return .fetch(first...update.number - 1)
  }

  /// Has the next update name what is missing once more: it could not be fetched.
  public mutating func nameAgain() { named = last }

  private mutating func take(_ update: OrderedUpdate<Change>) -> Taken {
    last = update.number
    named = max(named, last)
    if let madeFrom = update.madeFrom, madeFrom != version { return .refuse(update, present: version) }
    version = update.number
    return .apply(update)
  }
}

extension OrderedUpdates.Taken: Equatable where Change: Equatable {}
extension OrderedUpdates.Step: Equatable where Change: Equatable {}
