import Foundation

/// The effect of a signal on this process.
enum SignalDisposition {
  /// Whether the signal has its default effect: no part of the process handles the signal, and the process was not started
  /// to ignore it.
  static func isDefault(of number: Int32) -> Bool { handler(of: number) == unsafeBitCast(SIG_DFL, to: Int.self) }

  /// Whether the process was started to ignore the signal, as `nohup` starts a process.
  static func isIgnored(_ number: Int32) -> Bool { handler(of: number) == unsafeBitCast(SIG_IGN, to: Int.self) }

  private static func handler(of number: Int32) -> Int? {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return nil }
    #if canImport(Darwin)
      let handler = action.__sigaction_u
    #else
      let handler = action.__sigaction_handler
    #endif
    return unsafeBitCast(handler, to: Int.self)
  }
}
