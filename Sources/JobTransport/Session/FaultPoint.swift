#if FAULT_POINTS
  import Foundation
#endif

/// Places in the flow at which a test can have the process die, as `kill -9` would, by their names in the environment
/// variable `TELLER_FAULT_POINT`. Only debug builds have them.
package enum FaultPoint {
  /// The process ends here, at once and without a word, if this point is the chosen one.
  @inlinable package static func reached(_ name: StaticString) {
    #if FAULT_POINTS
      end(ifChosen: name)
    #endif
  }

  #if FAULT_POINTS
    private static let chosen = ProcessInfo.processInfo.environment["TELLER_FAULT_POINT"]

    @usableFromInline static func end(ifChosen name: StaticString) {
      guard let chosen, chosen == name.description else { return }
      kill(getpid(), SIGKILL)
    }
  #endif
}
