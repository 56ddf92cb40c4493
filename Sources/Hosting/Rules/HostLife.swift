/// The life of a host, as its services are told of it: which call follows from what happens to the host. A pure value.
///
/// | happens | before the start | running | draining | stopped |
/// |---|---|---|---|---|
/// | it can work | noted | opened, or resumed | nothing | nothing |
/// | it cannot work | noted | paused, if it has opened | nothing | nothing |
/// | a drain | noted | draining | nothing | nothing |
/// | the end | never told of anything | stopped | stopped | nothing |
package struct HostLife: Hashable, Sendable {
  private var hasStarted = false
  private var hasOpened = false
  /// Whether it can work, as it was told last.
  private var isOpen = false
  private var isDraining = false
  package private(set) var hasStopped = false

  package init() {}

  /// Every call so far that still says something: for a service that is told for the first time. Of earlier pauses only
  /// the present one counts. Empty: there is nothing to tell.
  package var soFar: [LifeCall] {
    guard hasStarted, !hasStopped else { return [] }
    var calls: [LifeCall] = [.started]
    if hasOpened { calls.append(.opened) }
    if hasOpened, !isOpen { calls.append(.paused) }
    if isDraining { calls.append(.draining) }
    return calls
  }

  /// The run begins. Then services are told ``soFar``, one after the other.
  package mutating func start() {
    hasStarted = true
    hasOpened = isOpen
  }

  /// The host can work, or cannot. To be called again and again: only a change is told.
  package mutating func show(isOpen: Bool) -> LifeCall? {
    guard !isDraining, !hasStopped, isOpen != self.isOpen else { return nil }
    self.isOpen = isOpen
    guard hasStarted else { return nil }
    guard isOpen else { return .paused }
    defer { hasOpened = true }
    return hasOpened ? .resumed : .opened
  }

  package mutating func drain() -> LifeCall? {
    guard !isDraining, !hasStopped else { return nil }
    isDraining = true
    return hasStarted ? .draining : nil
  }

  package mutating func stop() -> LifeCall? {
    guard !hasStopped else { return nil }
    hasStopped = true
    return hasStarted ? .stopped : nil
  }
}
