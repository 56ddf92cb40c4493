import AuditSupport
import Foundation
import JobModel
import Synchronization
import SystemSupport
import Teller
import TestSupport

/// A system that is to be harmed: a coordinator, workers, whoever submits, and what may stand between them and the broker.
actor Stage {
  /// How a stage differs from the usual one.
  enum Setting: Hashable, Sendable {
    case usual
    /// Everybody reaches the broker over a bad line.
    case badLine
    /// The first worker alone does.
    case badLineOfOneWorker
    /// The first worker alone does, it alone serves `work`, and the jobs go to `other`.
    case badLineOfAnother
    /// The ledger is on a disk of a few megabytes.
    case smallDisk
    /// The wall clock of one side is set by the test.
    case clock(Fault.Side)
  }

  /// What a department's window is in these tests, and all its reserves together.
  static let window = 40
  static let reserves = 40
  /// How many seconds a job runs until its worker asks to be rid of its message.
  static let adoptAfter = 2
  /// Between two submissions.
  static let pace: Duration = .milliseconds(40)

  nonisolated let broker: BrokerNode
  nonisolated let system: TellerSystem
  nonisolated let setting: Setting
  nonisolated let history = History()
  nonisolated let customers: Customers
  nonisolated let impatient: Customers
  nonisolated let submitter: Submitter
  nonisolated let operators: Operators
  nonisolated let line: TCPProxy?
  private(set) var coordinator: RunningProcess?
  private(set) var workers: [RunningProcess] = []
  private var launchedWorkers = 0
  private(set) var cutOffs: [CutOff] = []
  private(set) var wipes: [Wipe] = []
  private(set) var allowances: [Allowance] = []
  /// What a fault has to tell, for the table.
  private(set) var notes: [String] = []
  private(set) var mostReleased: [String: Int] = [:]
  /// Jobs that wait for long, and whether they are taken back meanwhile.
  private(set) var waiting: [JobID: Bool] = [:]
  private var disk: SmallDisk?
  private var steppedClock: SteppedClock?

  /// A stage in a virtual host of its own, or in the broker's first one.
  init(
    on broker: BrokerNode, _ setting: Setting = .usual, ahead: Int = 0, inFirstVirtualHost: Bool = false
  ) async throws {
    self.broker = broker
    self.setting = setting
    let url = inFirstVirtualHost ? broker.url : try await broker.makeVirtualHost()
    system = try TellerSystem(
      brokerURL: url, lease: TellerSystem.leaseOfTheDead,
      departments: "work: {window: \(Stage.window), ahead: \(ahead)}, other: {window: \(Stage.window)}",
      kinds: ["effect": "retry: {first: 300ms}", "aside": "retry: {first: 300ms}"], more: setting.configuration)
    let hasBadLine = [.badLine, .badLineOfOneWorker, .badLineOfAnother].contains(setting)
    line = hasBadLine ? try TCPProxy(to: try BrokerPort.of(url)) : nil
    let customersURL = try setting == .badLine ? BrokerPort.replaced(in: url, by: line) : url
    customers = try Customers(brokerURL: customersURL, history: history, patience: .seconds(60))
    impatient = try Customers(brokerURL: customersURL, history: history, patience: .seconds(1))
    let departments: [Department] = setting == .badLineOfAnother ? ["other"] : ["work"]
    submitter = Submitter([customers, impatient], departments: departments, pace: Stage.pace)
    operators = Operators(customers, departments: departments)
  }

  // MARK: Who takes part

  /// Starts everybody, and returns when jobs go through.
  func begin() async throws {
    if case .clock(let side) = setting {
      steppedClock = try await SteppedClock(in: system.folder.url, named: side.rawValue)
    }
    try await startCoordinator()
    try await startWorker(overBadLine: line != nil)
    try await startWorker()
    submitter.start()
    operators.start()
    try await eventually("jobs go through", within: TellerSystem.limit) { self.system.effects.count >= 20 }
  }

  func startCoordinator(environment: [String: String] = [:]) async throws {
    coordinator = try await launchCoordinator(environment: environment)
    try await coordinator?.waitForLine(containing: "serving", within: TellerSystem.limit)
  }

  /// One that may die before it serves.
  func launchCoordinator(environment: [String: String] = [:]) async throws -> RunningProcess {
    var environment = environment.merging(clock(of: .coordinator)) { $1 }
    if setting == .badLine {
      environment["TELLER_BROKER_URL"] = try BrokerPort.replaced(in: system.brokerURL, by: line)
    }
    let launched: RunningProcess
    if setting == .smallDisk {
      let disk = try await SmallDisk(in: system.folder.url)
      self.disk = disk
      launched = try disk.launchCoordinator(of: system, environment: environment)
    } else {
      launched = try system.launch("teller", ["coordinator"], environment: environment)
    }
    coordinator = launched
    return launched
  }

  func startWorker(
    overBadLine: Bool = false, departments: [String]? = nil, environment: [String: String] = [:]
  ) async throws {
    let worker = try launchWorker(overBadLine: overBadLine, departments: departments, environment: environment)
    try await worker.waitForLine(containing: "ready", within: TellerSystem.limit)
  }

  /// One that may die before it is ready.
  @discardableResult
  func launchWorker(
    overBadLine: Bool = false, departments: [String]? = nil, environment: [String: String] = [:]
  ) throws -> RunningProcess {
    var environment = environment.merging(clock(of: .workers)) { $1 }
    if overBadLine || setting == .badLine {
      environment["TELLER_BROKER_URL"] = try BrokerPort.replaced(in: system.brokerURL, by: line)
    }
    let departments =
      departments ?? (setting == .badLineOfAnother ? [overBadLine ? "work=4" : "other=4"] : ["work=4"])
    launchedWorkers += 1
    let worker = try system.launch(
      "testbench",
      departments.flatMap { ["--department", $0] } + ["--adopt-after", "\(Stage.adoptAfter)"]
        + (lacksHandler(launchedWorkers) ? [] : ["--aside"]), environment: environment)
    workers.append(worker)
    return worker
  }

  /// The second worker has no handler for `aside`, of which the load has some: while it is there they have a queue of
  /// their own. Where it alone serves its department it has one.
  private func lacksHandler(_ number: Int) -> Bool { number == 2 && setting != .badLineOfAnother }

  /// A command of `teller` that runs on.
  func launchClient(_ arguments: [String]) throws -> RunningProcess {
    try system.launch("teller", arguments, environment: clock(of: .client))
  }

  /// What goes by the clock that the test sets has that in its environment.
  private func clock(of side: Fault.Side) -> [String: String] {
    setting == .clock(side) ? steppedClock?.environment ?? [:] : [:]
  }

  /// The clock that the test sets, where there is one.
  func clock() throws -> SteppedClock {
    guard let steppedClock else { throw StageError(what: "there is no clock that could be set") }
    return steppedClock
  }

  func willWait(_ job: JobID, isCancelled: Bool) { waiting[job] = isCancelled }

  /// What a process runs now, and from now on until `isBack`, may run again elsewhere.
  func isCutOff(_ process: RunningProcess) { cutOffs.append(CutOff(pid: process.pid, from: .now)) }

  /// A process that was cut off is so no longer.
  func isBack(_ process: RunningProcess) {
    guard let last = cutOffs.lastIndex(where: { $0.pid == process.pid && $0.until == nil }) else { return }
    cutOffs[last].until = .now
  }

  /// Processes were cut off for a while that is over.
  func wereCutOff(_ processes: [RunningProcess], since start: Moment) {
    cutOffs += processes.map { CutOff(pid: $0.pid, from: start, until: .now) }
  }

  /// A process has died by itself: after its last trace, for all that is known.
  func hasDied(_ process: RunningProcess) {
    let last = Run.runs(of: system.effectLines).filter { $0.pid == process.pid }.map { $0.ended ?? $0.began }.max()
    cutOffs.append(CutOff(pid: process.pid, from: last ?? Moment(nanoseconds: 0)))
  }

  /// Takes the broker's disk.
  func wipeBroker() async throws {
    let start = Moment.now
    try await broker.wipe()
    try await broker.start()
    wipes.append(Wipe(from: start, until: .now))
  }

  /// Harms and heals. Everything that harms a stage goes through here, so that what a fault takes away by its nature is
  /// known whether it comes alone or among others.
  func suffer(_ fault: Fault) async throws {
    allowances += fault.allowances
    try await fault.inject(self)
    try await fault.heal(self)
  }

  func note(_ text: String) { notes.append(text) }

  /// Instead of what many faults have told.
  func note(only text: String) { notes = [text] }

  func kill(_ process: RunningProcess) async throws {
    isCutOff(process)
    process.signal(SIGKILL)
    try await process.waitForExit(within: TellerSystem.limit)
    workers.removeAll { $0.pid == process.pid }
  }

  /// Takes it off the list of who serves: it ends by itself.
  func forget(_ worker: RunningProcess) { workers.removeAll { $0.pid == worker.pid } }

  /// The running coordinator.
  func serving() throws -> RunningProcess {
    guard let coordinator else { throw StageError(what: "there is no coordinator") }
    return coordinator
  }

  /// The disk of the ledger, where it is a small one.
  func smallDisk() throws -> SmallDisk {
    guard let disk else { throw StageError(what: "the ledger is on no small disk") }
    return disk
  }

  /// The line to the broker, where it is a bad one.
  nonisolated func badLine() throws -> TCPProxy {
    guard let line else { throw StageError(what: "there is no bad line") }
    return line
  }

  /// The ledger at this moment.
  func readLedger() async throws -> LedgerReading {
    guard let disk else { return try LedgerReading(system.ledger) }
    let copy = system.folder.appending("ledger-\(UUID().uuidString)")
    try await disk.copyLedger(of: try serving(), to: copy)
    return try LedgerReading(copy)
  }

  /// Submits a job of its own kind, and returns its id; whoever asks follows it.
  nonisolated func submit(
    kind: JobKind, payload: String, attempts: Int? = nil, delay: Duration? = nil, _ wanted: Wanted
  ) -> JobID {
    var submission = JobSubmission(
      kind: kind, payload: Array(payload.utf8), department: "work", attempts: attempts)
    submission.delay = delay
    Task { [submission] in await customers.follow(submission, wanted) }
    return submission.id
  }

  // MARK: Looking

  /// Notes how many jobs are released at this moment; nothing when nobody answers.
  func lookAtWindows() async {
    guard let departments = try? await customers.any().status().departments else { return }
    for department in departments {
      let name = department.department.name
      mostReleased[name] = max(mostReleased[name] ?? 0, department.queued + department.running)
    }
  }

  /// Those who shall run and do not.
  var ended: [RunningProcess] { (workers + [coordinator].compactMap { $0 }).filter { $0.exitStatus != nil } }

  /// Ends everybody.
  func close() async throws {
    await submitter.close()
    await operators.close()
    await customers.close()
    await impatient.close()
    for process in workers + [coordinator].compactMap({ $0 }) {
      process.thaw()
      try await process.close()
    }
    line?.close()
  }
}

/// A fault that does not suit its stage.
struct StageError: Error, CustomStringConvertible {
  let what: String
  var description: String { what }
}

/// The parts of a broker's address that tests need.
enum BrokerPort {
  /// The password, also where there are several addresses, which is no URL for others.
  static func password(in url: String) -> String {
    let credentials = url.split(separator: "@").first?.split(separator: "/").last
    return credentials?.split(separator: ":").last.map(String.init) ?? ""
  }

  static func of(_ url: String) throws -> UInt16 {
    guard let port = URLComponents(string: url)?.port, let number = UInt16(exactly: port) else {
      throw StageError(what: "the broker's address has no port")
    }
    return number
  }

  /// The same address, over a line; as it is where there is none.
  static func replaced(in url: String, by line: TCPProxy?) throws -> String {
    guard let line else { return url }
    guard var parts = URLComponents(string: url) else { throw StageError(what: "that is no address") }
    parts.port = Int(line.port)
    return parts.string ?? url
  }
}
