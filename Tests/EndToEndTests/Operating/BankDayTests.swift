import Foundation
import SystemSupport
import TestSupport
import Testing

/// The example that a user copies, with its own configuration file.
@Suite("The bank day", .serialized)
struct BankDayTests {
  private struct Report: Decodable {
    struct Counter: Decodable {
      var department: String
      var tellers: Int
      var customers: Int
    }

    var served: Int
    var failed: Int
    var makespan: Double
    var ideal: Double
    var openedByRank: Bool
    var departments: [Counter]
  }

  private static let file = PackageFolder.url.appending(path: "Sources/BankExample/teller.yaml").path

  private func launch(
    _ product: String, _ arguments: [String], on system: TellerSystem, until line: String
  ) async throws -> RunningProcess {
    let process = try system.launch(product, arguments, environment: ["TELLER_CONFIG": BankDayTests.file])
    try await process.waitForLine(containing: line, within: TellerSystem.limit)
    return process
  }

  /// A coordinator and, so many times, a worker for the opening and the deposits and one for the loans.
  private func open(_ pairs: Int, on system: TellerSystem) async throws -> [RunningProcess] {
    var processes = [try await launch("teller", ["coordinator"], on: system, until: "serving")]
    let staff = [["--department", "init=1", "--department", "deposit=2"], ["--department", "loan=1"]]
    for arguments in Array(repeating: staff, count: pairs).joined() {
      processes.append(try await launch("bank", ["worker"] + arguments, on: system, until: "ready"))
    }
    return processes
  }

  @Test("ends with every customer served and the opening in the order of its ranks", arguments: [1, 2])
  func day(pairs: Int) async throws {
    let system = try await TellerSystem.onSharedBroker()
    let processes = try await open(pairs, on: system)
    let day = try await system.run(
      "bank",
      ["day", "--customers", "30", "--seed", "7", "--speed", "10", "--json"],
      within: TellerSystem.longLimit)
    try #require(day.status == 0, "\(day.lines)\n\(day.errors)\n\(system.logs)")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let report = try decoder.decode(Report.self, from: Data(try #require(day.lines.last).utf8))
    #expect(report.served == 30 && report.failed == 0)
    #expect(report.openedByRank)
    #expect(report.departments.map(\.department).sorted() == ["deposit", "loan"])
    #expect(report.departments.map(\.customers).reduce(0, +) == 30)
    #expect(report.departments.first { $0.department == "deposit" }?.tellers == 2 * pairs)
    print("\(2 * pairs)+\(pairs) tellers: makespan \(report.makespan) s, ideal \(report.ideal) s")
    for process in processes { try await process.close() }
  }

  @Test("tells what happens line by line where there is no terminal, and closes with the report")
  func plainLines() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let processes = try await open(1, on: system)
    let day = try await system.run(
      "bank", ["day", "--customers", "5", "--speed", "10"],
      within: TellerSystem.longLimit)
    #expect(day.status == 0, "\(day.lines)\n\(day.errors)\n\(system.logs)")
    #expect(day.lines.contains { $0.contains("5 customers come in") })
    #expect(day.lines.contains("The bank has closed: 5 customers served."))
    #expect(day.lines.last == "init: all steps ran one after another, by rank")
    for process in processes { try await process.close() }
  }
}
