import Foundation

/// What a signal does to this process.
enum SignalDisposition {
  /// It has its default effect.
  case standard
  /// It is ignored, as whoever started the process wanted it.
  case ignored
  /// Somebody handles it.
  case handled

  /// - Parameter number: The signal's.
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
