/// A state that numbered updates change: one at a time, in their order, each against the version it was made from. It
/// fetches what is missing. See ``OrderedUpdates``.
///
///     let page = OrderedState(try await shop.page()) { page, change in
///       page.apply(change)
///     } fetch: { numbers in
///       try await shop.updates(numbers)
///     } read: {
///       try await shop.page()
///     }
///     try await page.receive(update)
public actor OrderedState<State: Sendable, Change: Sendable> {
  /// A state that was read as a whole.
  public struct Whole: Sendable {
    /// The state.
    public var state: State
    /// The number of the last update that was applied to it.
    public var version: Int64
    /// The number of the last update that it knows, also if that was refused.
    public var last: Int64

    /// A state.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - version: The number of the last update that was applied to it.
    ///   - last: The number of the last update that it knows; nil: the version.
    public init(_ state: State, version: Int64, last: Int64? = nil) {
      (self.state, self.version, self.last) = (state, version, max(version, last ?? version))
    }
  }

  /// The state at this moment.
  public private(set) var state: State
  private var updates: OrderedUpdates<Change>
  private let apply: @Sendable (inout State, Change) -> Void
  private let fetch: @Sendable (ClosedRange<Int64>) async throws -> [OrderedUpdate<Change>]
  private let read: @Sendable () async throws -> Whole

  /// A state, and how it changes.
  ///
  /// - Parameters:
  ///   - whole: The state as it was read.
  ///   - apply: Makes one change.
  ///   - fetch: Gets the updates with these numbers. It may return fewer, or more.
  ///   - read: Reads the whole state again.
  public init(
    _ whole: Whole, apply: @escaping @Sendable (inout State, Change) -> Void,
    fetch: @escaping @Sendable (ClosedRange<Int64>) async throws -> [OrderedUpdate<Change>],
    read: @escaping @Sendable () async throws -> Whole
  ) {
    state = whole.state
    updates = OrderedUpdates(from: whole.version, last: whole.last)
    (self.apply, self.fetch, self.read) = (apply, fetch, read)
  }

  /// The number of the last update that was applied.
  public var version: Int64 { updates.version }

  /// Takes in an update, and fetches what is missing before it. Others may be received meanwhile.
  ///
  /// - Returns: What was taken in by this call, in order: the update, and those that it has brought along. None: it was
  ///   known, or waits for others.
  /// - Throws: What `fetch` and `read` throw. Then the update waits: the next call that finds the same ones missing fetches
  ///   them again.
  @discardableResult
  public func receive(_ update: OrderedUpdate<Change>) async throws -> [OrderedUpdates<Change>.Taken] {
    switch updates.receive(update) {
    case .take(let taken):
      carryOut(taken)
      return taken
    case .drop: return []
    case .startAgain: return try await startAgain()
    case .fetch(let numbers): return try await receive(fetching: numbers)
    }
  }

  private func receive(fetching numbers: ClosedRange<Int64>) async throws -> [OrderedUpdates<Change>.Taken] {
    let fetched: [OrderedUpdate<Change>]
    do {
      fetched = try await fetch(numbers)
    } catch {
      updates.nameAgain()
      throw error
    }
    var all: [OrderedUpdates<Change>.Taken] = []
    for update in fetched.sorted(by: { $0.number < $1.number }) {
      guard case .take(let taken) = updates.receive(update) else { continue }
      carryOut(taken)
      all += taken
    }
    // The shop, or whoever it is, does not have them any more.
    if updates.missing.map({ $0.overlaps(numbers) }) ?? false { all += try await startAgain() }
    return all
  }

  private func carryOut(_ taken: [OrderedUpdates<Change>.Taken]) {
    for case .apply(let update) in taken { apply(&state, update.change) }
  }

  private func startAgain() async throws -> [OrderedUpdates<Change>.Taken] {
    let whole = try await read()
    // An older answer than what is known already changes nothing.
    guard whole.last >= updates.last else { return [] }
    state = whole.state
    let taken = updates.startAgain(from: whole.version, last: whole.last)
    carryOut(taken)
    return taken
  }
}
