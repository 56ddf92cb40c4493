import Foundation
import Teller

/// How far runs have come, for people.
enum RunProgressText {
  /// `40 %  page 4 of 10`. The text is the handler's: it has no control characters here.
  static func words(_ progress: RunProgress) -> String {
    // Of ten-thousandths: a hundred times 0.29 is 28.99….
    let percent = Int((progress.fraction * 10_000).rounded()) / 100
    return ["\(percent) %", progress.text?.onOneLine].compactMap { $0 }.joined(separator: "  ")
  }

  /// `[########............]  40 %  page 4 of 10`, and how old it is when it is old.
  static func bar(_ progress: RunProgress, now: Date) -> String {
    let bar = "[\(ProgressText.bar(progress.fraction))]  \(words(progress))"
    guard let at = progress.at, now.timeIntervalSince(at) >= oldAge else { return bar }
    let seconds = Duration.seconds(Int64(now.timeIntervalSince(at)))
    return "\(bar)  (said \(seconds.inWords) ago)"
  }

  /// After how many seconds a bar tells its age. A handler need not say much, and a run may have ended without another word.
  static let oldAge: TimeInterval = 10
}
