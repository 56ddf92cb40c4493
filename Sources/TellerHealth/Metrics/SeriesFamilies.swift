import JobModel
import Synchronization

/// All series, by the names of their metrics; not more than a limit of lines.
final class SeriesFamilies: Sendable {
  /// What all series of one name are, in Prometheus's words.
  enum Sort: String {
    case counter, gauge, histogram
  }

  private struct Family {
    let sort: Sort
    let label: String
    var series: [SeriesLabels: any Series] = [:]
    /// The labels of the series that counts what comes beyond the limit.
    var shared: SeriesLabels?
  }

  private struct Content {
    var families: [String: Family] = [:]
    /// Where each series is that may be removed.
    var places: [ObjectIdentifier: (name: String, labels: SeriesLabels)] = [:]
    /// Of Teller's own metrics, and of those of the application: these must not crowd out the others.
    private var lines: [Bool: Int] = [:]

    func lines(beside name: String) -> Int { lines[isOwn(name), default: 0] }

    private func isOwn(_ name: String) -> Bool { name.hasPrefix("teller_") }

    mutating func add(_ series: some Series, _ name: SeriesName, _ labels: SeriesLabels, _ sort: Sort) {
      families[name.text, default: Family(sort: sort, label: name.label)].series[labels] = series
      places[ObjectIdentifier(series)] = (name.text, labels)
      lines[isOwn(name.text), default: 0] += series.lineCount
    }

    mutating func remove(_ series: any Series) {
      guard let (name, labels) = places.removeValue(forKey: ObjectIdentifier(series)) else { return }
      families[name]?.series[labels] = nil
      if families[name]?.series.isEmpty == true { families[name] = nil }
      lines[isOwn(name), default: 0] -= series.lineCount
    }
  }

  private let content = Mutex(Content())
  private let help: [String: String]
  private let lineLimit: Int
  /// How many were not kept on their own.
  private let dropped = CounterSeries()

  init(help: [String: String], lineLimit: Int) {
    (self.help, self.lineLimit) = (help, lineLimit)
    let name = SeriesName(counter: MetricName.droppedSeries.rawValue)
    _ = series(name, [], .counter) { dropped }
  }

  /// The series with these labels, made when there is none; beyond the limit, the one that all further labels of its
  /// name share. When its name is taken, or comes beyond the limit, the series is told nowhere.
  func series<Found: Series>(
    _ name: SeriesName, _ dimensions: [(String, String)], _ sort: Sort, make: () -> Found
  ) -> Found {
    let labels = SeriesLabels(dimensions)
    return content.withLock { content in
      let family = content.families[name.text]
      if let known = family?.series[labels] as? Found { return known }
      let made = make()
      if family?.sort ?? sort == sort, content.lines(beside: name.text) < lineLimit {
        content.add(made, name, labels, sort)
        return made
      }
      dropped.increment(by: Int64(1))
      guard let family, family.sort == sort else { return made }
      // One for each name, whatever the names of further labels are.
      let shared = family.shared ?? SeriesLabels(dimensions.map { ($0.0, SeriesFamilies.other) })
      if let known = family.series[shared] as? Found { return known }
      // It has no place: nobody may remove what others share, and it counts beside the limit.
      content.families[name.text]?.series[shared] = made
      content.families[name.text]?.shared = shared
      return made
    }
  }

  /// The value of every label of the series that further ones share.
  private static let other = "other"

  /// Forgets a series, unless others share it.
  func remove(_ handler: AnyObject) {
    guard let series = handler as? any Series else { return }
    content.withLock { $0.remove(series) }
  }

  var text: String {
    let families = content.withLock { $0.families }
    var text = PrometheusText()
    for (name, family) in families.sorted(by: { $0.key < $1.key }) {
      text.head(name, family.sort, help: help[family.label] ?? family.label)
      for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) { series.write(name, labels, to: &text) }
    }
    return text.text
  }
}
