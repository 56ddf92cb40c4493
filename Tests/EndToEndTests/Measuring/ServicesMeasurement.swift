import Foundation
import TestSupport
import Testing

/// What services cost a worker, as a table: `TELLER_MEASURE_SERVICES=1` measures the program that was built with the
/// tests, `TELLER_MEASURE_SERVICES=FILE` that program, such as `.build/release/benchprobe`. Nothing is judged but that
/// the worker ends, and that the normal service was told of the jobs.
@Suite(
  "What services cost a worker", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: ProcessInfo.processInfo.environment["TELLER_MEASURE_SERVICES"] != nil))
struct ServicesMeasurement {
  private static let cases: [[String]] = [
    [], ["normal"], ["throwing", "normal"], ["hanging", "normal"], ["slow", "normal"],
    ["throwing", "hanging", "slow", "normal"],
  ]
  private static let rounds = 5

  private struct Line: Decodable {
    var perSecond: Double
    var stopMs: Double
    var told: Int
    var cpuSeconds: Double
  }

  private var program: URL {
    get throws {
      let given = ProcessInfo.processInfo.environment["TELLER_MEASURE_SERVICES"]
      if let given, given != "1" { return URL(filePath: given) }
      return try BuiltProducts.url("benchprobe")
    }
  }

  /// One run, on a virtual host of its own.
  private func measure(_ services: [String]) async throws -> Line {
    let url = try await BrokerNode.shared.makeVirtualHost()
    let process = try RunningProcess.launch(
      try program, arguments: ["services"] + services, environment: ["TELLER_BROKER_URL": url])
    let status = try await process.waitForExit(within: patience)
    #expect(status == 0, "\(process.text(of: .standardError))")
    let line = try #require(process.text(of: .standardOutput).last)
    return try JSONDecoder().decode(Line.self, from: Data(line.utf8))
  }

  @Test("its speed and its end, without services, with a normal one, and beside broken ones")
  func table() async throws {
    var lines = Self.cases.map { _ in [Line]() }
    // In turn: what else the machine does is the same for all.
    for _ in 1...Self.rounds {
      for (index, services) in Self.cases.enumerated() { lines[index].append(try await measure(services)) }
    }
    print("| services | jobs/s | ratio | CPU s | stop ms | calls to the normal one |")
    print("|---|---|---|---|---|---|")
    for (services, measured) in zip(Self.cases, lines) { print(row(services, measured, without: lines[0])) }
    for (services, lines) in zip(Self.cases, lines) where services.contains("normal") {
      #expect(lines.allSatisfy { $0.told > 0 })
    }
  }

  /// Medians; the ratio is taken within each round.
  private func row(_ services: [String], _ lines: [Line], without: [Line]) -> String {
    let ratio = median(zip(lines, without).map { $0.perSecond / $1.perSecond })
    let cells = [
      services.isEmpty ? "none" : services.joined(separator: ", "), "\(Int(median(lines.map(\.perSecond))))",
      String(format: "%.2f", ratio), String(format: "%.2f", median(lines.map(\.cpuSeconds))),
      "\(Int(median(lines.map(\.stopMs))))", "\(Int(median(lines.map { Double($0.told) })))",
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
