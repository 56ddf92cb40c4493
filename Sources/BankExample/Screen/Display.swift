import Foundation

/// Where a day is shown.
protocol Display: Sendable {
  /// Shows what has just happened.
  ///
  /// - Parameters:
  ///   - news: Nil when only time has passed.
  ///   - floor: Everybody in the bank, after it.
  ///   - clock: How long the opening has taken, then how long the customers have been there.
  func show(_ news: News?, floor: Floor, clock: Duration)

  /// Puts the terminal back as it was; what was shown last stays.
  func close()
}

/// One line for each thing that happens: for pipes and logs.
struct PlainLines: Display {
  func show(_ news: News?, floor: Floor, clock: Duration) {
    guard let news else { return }
    Terminal.write("\(ReportText.seconds(clock).leftPadded(to: 8))  \(news.line)\n")
  }

  func close() {}
}

/// Nothing but the report.
struct Silence: Display {
  func show(_ news: News?, floor: Floor, clock: Duration) {}
  func close() {}
}
