import Foundation

/// The effect of a signal on this process.
enum SignalDisposition {
  /// The signal has its default effect.
  case standard
  /// The process was started to ignore the signal.
  case ignored
  /// A part of the process handles the signal.
  case handled

  /// - Parameter number: The number of the signal.
  init(of number: Int32) {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else {
      self = .handled
      return
    }
    #if canImport(Darwin)
      let handler = unsafeBitCast(action.__sigaction_u, to: Int.self)
    #else
      let handler = unsafeBitCast(action.__sigaction_handler, to: Int.self)
    #endif
    switch handler {
    case unsafeBitCast(SIG_DFL, to: Int.self): self = .standard
    case unsafeBitCast(SIG_IGN, to: Int.self): self = .ignored
    default: self = .handled
    }
  }
}
