package import Foundation
import TestSupport

/// A Prometheus of a test's own: on a free port of this machine, with its data in a folder that goes with it. Debian's
/// package `prometheus` brings it, and `promtool`.
package final class PrometheusServer: Sendable {
  /// Where it answers.
  package let url: String
  private let process: RunningProcess
  private let folder: TemporaryFolder

  private static let executable = URL(filePath: "/usr/bin/prometheus")
  private static let promtool = URL(filePath: "/usr/bin/promtool")

  /// One that asks these addresses for their metrics every two seconds, and has these rules.
  ///
  /// - Throws: What the system says when it cannot be started, and `TimeLimitExceeded` when it does not get ready.
  package init(asking addresses: [String], rules: URL) async throws {
    folder = try TemporaryFolder()
    let configuration = """
      global: {scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 2s}
      rule_files: ["\(rules.path)"]
      scrape_configs:
        - job_name: teller
          static_configs: [{targets: \(addresses)}]
      """
    try Data(configuration.utf8).write(to: folder.appending("prometheus.yml"))
    process = try RunningProcess.launch(
      PrometheusServer.executable,
      arguments: [
        "--config.file=\(folder.appending("prometheus.yml").path)", "--web.listen-address=127.0.0.1:0",
        "--storage.tsdb.path=\(folder.appending("data").path)",
      ])
    let line = try await process.waitForLine(containing: "msg=\"Listening on\"", within: TellerSystem.limit)
    try await process.waitForLine(containing: "Server is ready", within: TellerSystem.limit)
    url = "http://" + (line.components(separatedBy: "address=").last ?? "")
  }

  /// What it has computed: for each series its labels and its value.
  ///
  /// - Throws: ``PromtoolError`` when it does not take the query.
  package func query(_ expression: String) async throws -> [(labels: [String: String], value: Double)] {
    let text = try await PrometheusServer.promtool(["query", "instant", "--format=json", url, expression])
    let series = try JSONDecoder().decode([Series].self, from: Data(text.utf8))
    return try series.map { series in
      guard let value = Double(series.value.text) else { throw PromtoolError(lines: [text]) }
      return (series.metric, value)
    }
  }

  /// The same, by one label.
  package func query(_ expression: String, by label: String) async throws -> [String: Double] {
    let found = try await query(expression)
    return Dictionary(found.map { ($0.labels[label] ?? "", $0.value) }) { first, _ in first }
  }

  /// The companion of Prometheus, run to its end.
  ///
  /// - Parameters:
  ///   - arguments: What it is called with.
  ///   - input: What it reads; nothing by default.
  /// - Returns: What it wrote.
  /// - Throws: ``PromtoolError`` when it is not content.
  @discardableResult
  package static func promtool(_ arguments: [String], input: String = "") async throws -> String {
    let process = try RunningProcess.launch(promtool, arguments: arguments)
    try process.write(input)
    process.closeInput()
    let status = try await process.waitForExit(within: TellerSystem.limit)
    let output = process.text(of: .standardOutput)
    // It complains about metrics with status 3, and about others with 1.
    guard status == 0 else { throw PromtoolError(lines: output + process.text(of: .standardError)) }
    return output.joined(separator: "\n")
  }
}

/// What promtool found wrong.
package struct PromtoolError: Error, CustomStringConvertible {
  let lines: [String]

  /// Its own words.
  package var description: String { "promtool: " + lines.joined(separator: "\n") }
}

/// One series of an answer.
private struct Series: Decodable {
  let metric: [String: String]
  let value: Sample

  /// A moment and a number, as text.
  struct Sample: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      var parts = try decoder.unkeyedContainer()
      _ = try parts.decode(Double.self)
      text = try parts.decode(String.self)
    }
  }
}
