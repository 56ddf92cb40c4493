public import Foundation

/// How far the present run of a job has come, as its handler says. It is nowhere recorded: it ends with its run.
public struct RunProgress: Hashable, Sendable {
  /// The part of the work that is done, from 0 to 1, in steps of a ten-thousandth.
  public let fraction: Double
  /// The handler's word for people; nil: it has said none.
  public let text: String?
  package var heardAt: Timestamp?

  /// The most Unicode scalars of ``text``; a longer text is cut.
  public static let longestText = 200
  /// Smaller steps than one of so many are no change: nobody sees them.
  private static let steps = 10_000.0

  /// A fraction below 0, or no number, counts as 0; one above 1 as 1. An empty text is none.
  public init(_ fraction: Double, _ text: String? = nil) {
    self.fraction = ((fraction > 0 ? min(fraction, 1) : 0) * RunProgress.steps).rounded() / RunProgress.steps
    self.text = text.flatMap { text in
      // Only as much is read as is kept: a text may have any length.
      let scalars = text.unicodeScalars.prefix(RunProgress.longestText)
      return scalars.isEmpty ? nil : String(String.UnicodeScalarView(scalars))
    }
  }

  /// When the coordinator heard of it, by the coordinator's clock; nil: it is not from a coordinator.
  public var at: Date? { heardAt?.date }
}

extension RunProgress: Codable {
  enum CodingKeys: String, CodingKey {
    case fraction, text
    case heardAt = "at_ms"
  }

  /// Reads a progress, within the limits of any other.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try members.decode(Double.self, forKey: .fraction), try members.decodeIfPresent(String.self, forKey: .text))
    heardAt = try members.decodeIfPresent(Timestamp.self, forKey: .heardAt)
  }
}
