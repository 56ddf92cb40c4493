/// Prometheus's text format, version 0.0.4, as it is written.
struct PrometheusText {
  private(set) var text = ""

  mutating func head(_ name: String, _ sort: SeriesFamilies.Sort, help: String) {
    text += "# HELP \(name) \(help.escaped(quotes: false))\n# TYPE \(name) \(sort.rawValue)\n"
  }

  mutating func line(_ name: String, _ labels: String, _ value: Double) {
    text += name
    if !labels.isEmpty { text += "{\(labels)}" }
    text += " \(PrometheusText.number(value))\n"
  }

  static func number(_ value: Double) -> String {
    if let whole = Int64(exactly: value) { return "\(whole)" }
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    return "\(value)"
  }
}
