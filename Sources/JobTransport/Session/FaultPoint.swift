#if FAULT_POINTS
  import Foundation
#endif

/// Points of the flow at which a test can end the process, as `kill -9` would. The environment variable
/// `TELLER_FAULT_POINT` names one. Only debug builds have them.
package enum FaultPoint {
  /// Ends the process at once, if this point is the chosen one.
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
