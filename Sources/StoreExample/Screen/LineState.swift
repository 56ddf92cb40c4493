import Teller

/// How the line to the coordinator is: three states, each with a colour, a word and a sign. The sign is for those who do
/// not see the colour.
enum LineState: String, Hashable, Sendable, Codable {
  case connected, slow, lost

  /// An answer that takes longer is slow.
  static let slowAfter: Duration = .seconds(1)
  /// One that takes longer is none.
  static let patience: Duration = .seconds(3)

  /// The line behind an answer that took so long.
  init(answeredAfter time: Duration) { self = time > LineState.slowAfter ? .slow : .connected }

  /// The line behind an error of a question; nil: the error says nothing about the line.
  init?(_ error: TellerError) {
    switch error {
    case .brokerBlocked, .submissionsFull, .timedOut: self = .slow
    case .brokerUnavailable, .noCoordinator, .noCoordinatorEver: self = .lost
    default: return nil
    }
  }

  var sign: String {
    switch self {
    case .connected: "●"
    case .slow: "◐"
    case .lost: "○"
    }
  }

  /// The number of the colour on a terminal: green, yellow, red.
  var colour: Int {
    switch self {
    case .connected: 32
    case .slow: 33
    case .lost: 31
    }
  }

  var word: String { rawValue }

  /// The short notice of a change.
  var notice: String {
    switch self {
    case .connected: "connected"
    case .slow: "the line is slow or blocked: what is shown may be old"
    case .lost: "the line is lost: what is pressed now is sent later"
    }
  }
}
