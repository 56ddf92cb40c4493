import Foundation

/// Shows a day.
protocol Display: Sendable {
  /// Shows news.
  ///
  /// - Parameters:
  ///   - news: The news; nil when only time has passed.
  ///   - floor: The customers in the bank, after the news.
  ///   - clock: How long the opening has taken; later, how long the customers have been there.
  func show(_ news: News?, floor: Floor, clock: Duration)

  /// Puts the terminal back as it was; the last picture stays.
  func close()
}

/// One line for each piece of news: for pipes and logs.
struct PlainLines: Display {
  func show(_ news: News?, floor: Floor, clock: Duration) {
    guard let news else { return }
    Terminal.write("\(ReportText.seconds(clock).leftPadded(to: 8))  \(news.line)\n")
  }

  func close() {}
}

/// Shows nothing: `--json` prints only the report. That nobody serves a department goes to standard error.
struct Silence: Display {
  func show(_ news: News?, floor: Floor, clock: Duration) {
    guard case .unstaffed? = news, let line = news?.line else { return }
    try? FileHandle.standardError.write(contentsOf: Data("bank: \(line)\n".utf8))
  }

  func close() {}
}
