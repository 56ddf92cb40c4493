import Ledger

// A turn that could not be recorded.
extension CoordinatorNode {
  /// The memory is ahead of the ledger: a moment later the session ends, and the next one begins with what is recorded. What
  /// is asked of the books until then is refused.
  ///
  /// - Returns: Whether that error was to be expected.
  func hasFailed(_ error: LedgerError) throws -> Bool {
    if isFailing { return true }
    guard file.isFull else { return false }
    try file.makeRoom()
    isFailing = true
    // What it heard and could not record it forgets.
    heardConnections = HeardConnections()
    world.sometimes.note(.turnFailed)
    world.trace.say(world.now, name, "cannot record: \(error)")
    after(world.span(1...30_000), "reads everything anew") { [self] in
      isFailing = false
      if opened != nil { try endSession("a turn could not be recorded", reloads: true) }
    }
    return true
  }

  /// Before these early reports are recorded: that may be what fails.
  func failEarly() throws {
    guard failsEarly, !world.isHealed else { return }
    failsEarly = false
    try file.fillUp()
  }
}
