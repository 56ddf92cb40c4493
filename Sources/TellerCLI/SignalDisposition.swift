import Foundation

/// The effect of a signal on this process.
enum SignalDisposition {
  /// Whether the signal has its default effect: no part of the process handles the signal, and the process was not started
  /// to ignore it.
  static func isDefault(of number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    #if canImport(Darwin)
      let handler = action.__sigaction_u
    #else
      let handler = action.__sigaction_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_DFL, to: Int.self)
  }
}
