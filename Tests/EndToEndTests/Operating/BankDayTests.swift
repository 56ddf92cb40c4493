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
    struct Opening: Decodable {
      var byRank: Bool
      var ranAgain: Int
      var passedOver: [String]
      var pushes: Int
    }

    var opening: Opening
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
  private func open(
    _ pairs: Int, on system: TellerSystem, answering: [String] = []
  ) async throws -> [RunningProcess] {
    var processes = [try await launch("teller", ["coordinator"] + answering, on: system, until: "serving")]
    let staff = [["--department", "init=1", "--department", "deposit=2"], ["--department", "loan=1"]]
    for arguments in Array(repeating: staff, count: pairs).joined() {
      processes.append(try await launch("bank", ["worker"] + arguments + answering, on: system, until: "ready"))
    }
    return processes
  }

  /// A day to its end.
  private func day(customers: Int, on system: TellerSystem) async throws -> Report {
    let day = try await system.run(
      "bank", ["day", "--customers", "\(customers)", "--seed", "7", "--speed", "10", "--json"],
      within: TellerSystem.longLimit)
    try #require(day.status == 0, "\(day.lines)\n\(day.errors)\n\(system.logs)")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Report.self, from: Data(try #require(day.lines.last).utf8))
  }

  @Test("ends with every customer served and the opening in the order of its ranks", arguments: [1, 2])
  func day(pairs: Int) async throws {
    let system = try await TellerSystem.onSharedBroker()
    let processes = try await open(pairs, on: system)
    let report = try await day(customers: 30, on: system)
    #expect(report.served == 30 && report.failed == 0)
    #expect(report.opening.byRank && report.opening.ranAgain == 2 && report.opening.pushes == 2)
    #expect(report.opening.passedOver == ["full-screen banner"])
    #expect(report.departments.map(\.department).sorted() == ["deposit", "loan"])
    #expect(report.departments.map(\.customers).reduce(0, +) == 30)
    #expect(report.departments.first { $0.department == "deposit" }?.tellers == 2 * pairs)
    print("\(2 * pairs)+\(pairs) tellers: makespan \(report.makespan) s, ideal \(report.ideal) s")
    for process in processes { try await process.close() }
  }

  @Test("tells the opening step by step, and that the bank is open when nothing of it is left")
  func lines() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let processes = try await open(1, on: system)
    let day = try await system.run(
      "bank", ["day", "--customers", "6", "--seed", "7", "--speed", "10"], within: TellerSystem.longLimit)
    #expect(day.status == 0, "\(day.lines)\n\(day.errors)")
    let told = [
      "wait at the door", "the plan \"opening\" is started", "user information is done", "reports session_expired",
      "user information is done again", "login is done", "push: it is acted on", "is passed over", "the bank is open",
      "customers come in", "it is announced", "push: it is acted on",
    ]
    var rest = day.lines[...]
    for part in told {
      let index = try #require(rest.firstIndex { $0.contains(part) }, "\(part): \(day.lines)")
      rest = rest[(index + 1)...]
    }
    for process in processes { try await process.close() }
  }

  @Test("shows in the dashboard's graphs, by a real Prometheus, what its report says")
  func graphs() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let processes = try await open(1, on: system, answering: ["--health", "127.0.0.1:0"])
    var addresses: [String] = []
    for process in processes { addresses.append(try await HealthyProcess(of: system, process).address) }
    let prometheus = try await PrometheusServer(
      asking: addresses, rules: Dashboard.folder.appending(path: "alerts.yaml"))
    // A rate needs a sample from before the day.
    try await eventually("Prometheus has asked everybody", within: TellerSystem.limit) {
      try await prometheus.query("sum(up)").first?.value == Double(addresses.count)
    }
    let report = try await day(customers: 30, on: system)
    let customers = Dictionary(uniqueKeysWithValues: report.departments.map { ($0.department, Double($0.customers)) })
    let served = "sum by (department) (teller_jobs_ended_total{outcome=\"succeeded\",department!=\"init\"})"
    try await eventually("Prometheus has counted every customer", within: TellerSystem.limit) {
      try await prometheus.query(served, by: "department") == customers
    }
    let panels = try Dashboard().panels
    func graph(_ title: String) async throws -> [(labels: [String: String], value: Double)] {
      let panel = try #require(panels.first { $0.title == title }, "\(panels.map(\.title))")
      return try await prometheus.query(try #require(panel.expressions.first))
    }
    let ended = try await graph("Ended per second").filter { $0.value > 0 }
    // Not `init`: the opening may be over within one second, between two samples; and two of its jobs fail. The same may
    // happen to the customers of one department: then it has no rate.
    let atCounters = ended.filter { $0.labels["department"] != "init" }
    #expect(!atCounters.isEmpty)
    #expect(atCounters.allSatisfy { ["deposit", "loan"].contains($0.labels["department"]) })
    #expect(atCounters.allSatisfy { $0.labels["outcome"] == "succeeded" })
    let waited = try #require(try await graph("Waiting").first?.value)
    #expect(waited > 0 && waited.isFinite)
    for (labels, rate) in ended { print("jobs ended, \(labels): \(rate)/s") }
    print("half of the jobs waited less than \(waited) s; the report: \(report)")
    for process in processes { try await process.close() }
  }

  @Test("tells why it does not go on: no coordinator answers, a department is paused, or nobody serves a department")
  func obstacles() async throws {
    let system = try await TellerSystem.onSharedBroker()
    // Once a coordinator has run, the broker takes submissions without one.
    try await launch("teller", ["coordinator"], on: system, until: "serving").close()
    let day = try await launch(
      "bank", ["day", "--customers", "5", "--seed", "7", "--speed", "10"], on: system,
      until: "no coordinator answers: start one with")
    let coordinator = try await launch("teller", ["coordinator"], on: system, until: "serving")
    try await day.waitForLine(containing: "a coordinator answers", within: TellerSystem.limit)
    try await day.waitForLine(
      containing: "no worker serves init, so its jobs wait: start one with `bank worker", within: TellerSystem.limit)
    #expect(try await system.teller("pause", "loan").status == 0)
    try await day.waitForLine(
      containing: "loan is paused, so its jobs wait: let them go on with `teller resume loan`",
      within: TellerSystem.limit)
    let staff = ["--department", "init=1", "--department", "deposit=1", "--department", "loan=1"]
    let worker = try await launch("bank", ["worker"] + staff, on: system, until: "ready")
    try await day.waitForLine(containing: "the bank is open", within: TellerSystem.limit)
    #expect(try await system.teller("resume", "loan").status == 0)
    #expect(try await day.waitForExit(within: TellerSystem.limit) == 0, "\(system.logs)")
    let lines = day.text(of: .standardOutput)
    for line in ["no worker serves loan", "loan is paused"] {
      #expect(lines.count { $0.contains(line) } == 1, "only when that changes: \(lines)")
    }
    print(lines.joined(separator: "\n"))
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("tells what happens line by line where there is no terminal, and ends with the report")
  func plainLines() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let processes = try await open(1, on: system)
    let day = try await system.run(
      "bank", ["day", "--customers", "6", "--speed", "10"],
      within: TellerSystem.longLimit)
    #expect(day.status == 0, "\(day.lines)\n\(day.errors)\n\(system.logs)")
    #expect(day.lines.contains { $0.contains("5 customers come in") })
    #expect(day.lines.contains("The day has ended: 6 customers served."))
    #expect(day.lines.last?.hasPrefix("init: all 9 steps ran by rank, one rank at a time") == true)
    for line in ["wait at the door", "login reports session_expired", "user information is done again", "passed over"] {
      #expect(day.lines.contains { $0.contains(line) }, "\(line): \(day.lines)")
    }
    for process in processes { try await process.close() }
  }
}
