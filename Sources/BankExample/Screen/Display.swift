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

/// Shows nothing: `--json` prints only the report. The obstacles go to standard error.
struct Silence: Display {
  func show(_ news: News?, floor: Floor, clock: Duration) {
    guard let news, news.isAboutObstacle else { return }
    try? FileHandle.standardError.write(contentsOf: Data("bank: \(news.line)\n".utf8))
  }

  func close() {}
}
