package import Foundation
import Synchronization
package import TestSupport

/// A coordinator and workers as real processes on a real broker, in a folder of their own.
package final class TellerSystem: Sendable {
  /// Generous: only ever spent on failure, also on a machine that compiles at the same time.
  package static let limit: Duration = .seconds(150)
  /// The same for what takes many steps, or waits for a lease.
  package static let longLimit: Duration = .seconds(300)

  /// Longer than any test: on a busy machine a worker that lives may be silent for many seconds, and what it runs shall
  /// not be taken back. Where no worker dies, nothing waits for a lease.
  package static let lease = "1h"
  /// Where a worker dies and its jobs have to be taken back: still longer than a living one is silent.
  package static let leaseOfTheDead = "20s"

  /// The address of its virtual host, with user and password.
  package let brokerURL: String
  /// Where its configuration, ledger and traces are; removed with it.
  package let folder: TemporaryFolder
  private let launched = Mutex<[(name: String, process: RunningProcess)]>([])
  private let openedGate = Mutex<FileHandle?>(nil)

  private static let kinds = [
    "noop", "sleep", "slow", "hang", "fail", "crash", "echo", "effect", "gate", "step", "wave", "aside",
    "salute",
  ]

  /// A system on that broker; nothing is started yet.
  ///
  /// - Parameters:
  ///   - brokerURL: The address of its virtual host.
  ///   - lease: How long a worker may be silent.
  ///   - departments: What stands between the braces of `departments:`.
  ///   - kinds: What the configuration says of a kind beside its department, such as `timeout: 1s`, by kind.
  ///   - more: Further sections of the configuration, whole lines.
  /// - Throws: What the system says when the folder cannot be filled.
  package init(
    brokerURL: String, lease: String = TellerSystem.lease,
    departments: String = "work: {}, other: {}, init: {ordered: true}", kinds: [String: String] = [:], more: String = ""
  ) throws {
    self.brokerURL = brokerURL
    folder = try TemporaryFolder()
    try configure(lease: lease, departments: departments, kinds: kinds, more: more)
    guard mkfifo(folder.appending("gate").path, 0o600) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
  }

  /// Writes the configuration anew: what the parameters of the initializer say. Nobody is told to read it.
  package func configure(
    lease: String = TellerSystem.lease, departments: String = "work: {}, other: {}, init: {ordered: true}",
    kinds: [String: String] = [:], more: String = ""
  ) throws {
    let settings = TellerSystem.kinds.map { kind in
      "  \(kind): {department: work\(kinds[kind].map { ", \($0)" } ?? "")}\n"
    }
    let configuration = "lease: \(lease)\ndepartments: {\(departments)}\nkinds:\n" + settings.joined() + more
    try Data(configuration.utf8).write(to: folder.appending("teller.yaml"), options: .atomic)
  }

  /// A system in a virtual host of its own on the broker that tests share.
  package static func onSharedBroker(
    lease: String = TellerSystem.lease, departments: String = "work: {}, other: {}, init: {ordered: true}",
    kinds: [String: String] = [:], more: String = ""
  ) async throws -> TellerSystem {
    try TellerSystem(
      brokerURL: try await BrokerNode.shared.makeVirtualHost(), lease: lease, departments: departments, kinds: kinds,
      more: more)
  }

  private var environment: [String: String] {
    [
      "TELLER_BROKER_URL": brokerURL, "TELLER_CONFIG": folder.appending("teller.yaml").path,
      "TELLER_LEDGER": ledger.path, "TESTBENCH_EFFECTS": effectsFile.path,
      "TESTBENCH_GATE": folder.appending("gate").path,
    ]
  }

  private var effectsFile: URL { folder.appending("effects") }

  // MARK: Processes

  /// A coordinator that serves.
  package func startCoordinator(environment: [String: String] = [:]) async throws -> RunningProcess {
    let coordinator = try launch("teller", ["coordinator"], environment: environment)
    try await coordinator.waitForLine(containing: "serving", within: TellerSystem.limit)
    return coordinator
  }

  /// A worker that is ready.
  package func startWorker(
    _ departments: String..., options: [String] = [], environment: [String: String] = [:]
  ) async throws -> RunningProcess {
    try await startWorker(departments, options: options, environment: environment)
  }

  /// The same.
  package func startWorker(
    _ departments: [String], options: [String] = [], environment: [String: String] = [:]
  ) async throws -> RunningProcess {
    let worker = try launchWorker(departments, options: options, environment: environment)
    try await worker.waitForLine(containing: "ready", within: TellerSystem.limit)
    return worker
  }

  /// A worker that may or may not get ready.
  package func launchWorker(
    _ departments: [String], options: [String] = [], environment: [String: String] = [:]
  ) throws -> RunningProcess {
    try launch("testbench", departments.flatMap { ["--department", $0] } + options, environment: environment)
  }

  /// One of this package's own executables, in the system's environment. `wrapper`: the command that starts it, such as one
  /// that limits it.
  package func launch(
    _ product: String, _ arguments: [String], by wrapper: [String] = [], environment added: [String: String] = [:]
  ) throws -> RunningProcess {
    let name = ([product] + arguments.prefix(2)).joined(separator: " ")
    let whole = wrapper + [try BuiltProducts.url(product).path] + arguments
    return try launch(URL(filePath: whole[0]), named: name, Array(whole.dropFirst()), environment: added)
  }

  /// Any executable, in the system's environment.
  package func launch(
    _ executable: URL, named name: String, _ arguments: [String], environment added: [String: String] = [:]
  ) throws -> RunningProcess {
    let process = try RunningProcess.launch(
      executable, arguments: arguments, environment: environment.merging(added) { _, new in new },
      workingDirectory: folder.url)
    launched.withLock { $0.append((name, process)) }
    return process
  }

  /// Everything that was started so far, with its name, in order.
  package var processes: [(name: String, process: RunningProcess)] { launched.withLock { $0 } }

  /// Where the coordinator's ledger is, unless the environment of `startCoordinator` says otherwise.
  package var ledger: URL { folder.appending("teller.ledger") }

  /// What coordinator and workers said last, for the message of a failure.
  package var logs: String {
    launched.withLock { $0 }.filter { $0.name != "teller status" }.suffix(8).map { name, process in
      let last = process.text(of: .standardError).suffix(12).joined(separator: "\n  ")
      return "\(name) (\(process.pid)):\n  \(last)"
    }.joined(separator: "\n")
  }

  /// What coordinator and workers said of jobs that a text names, and what they warned of; for the message of a failure.
  package func lines(ofJobsIn texts: [String]) -> String {
    let jobs = Set(texts.flatMap { $0.matches(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/).map { String($0.0) } })
    let found = processes.flatMap { name, process in
      process.text(of: .standardError).filter { line in
        line.contains(" warning ") || line.contains(" error ") || jobs.contains { line.contains($0) }
      }.prefix(Self.mostLinesFound).map { "  \(name) (\(process.pid)): \($0)" }
    }
    return found.joined(separator: "\n")
  }

  /// Of one process.
  private static let mostLinesFound = 40

  /// Lets every `gate` job that runs go on, and every later one.
  package func openGate() throws {
    // Both ends: that waits for nobody. And it stays open: a job leaves its trace before it comes to the gate.
    let gate = open(folder.appending("gate").path, O_RDWR | O_CLOEXEC)
    guard gate >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    openedGate.withLock { $0 = FileHandle(fileDescriptor: gate, closeOnDealloc: true) }
  }

  /// What comes to the gate from now on waits for it to open again.
  package func closeGate() { openedGate.withLock { $0 = nil } }

  // MARK: Traces

  /// One run of an `effect` job.
  package struct Effect: Hashable, Sendable {
    /// Whose run it is.
    package let job: String
    /// Which attempt, from 1.
    package let attempt: Int
    /// The worker that ran it.
    package let pid: pid_t
  }

  /// Every run so far, in order.
  package var effects: [Effect] {
    effectLines.compactMap { words in
      guard words.count == 3 || words[3] == "began", let attempt = Int(words[1]), let pid = pid_t(words[2]) else {
        return nil
      }
      return Effect(job: words[0], attempt: attempt, pid: pid)
    }
  }

  /// The words of every trace so far: runs, and the ends of those that tell it.
  package var effectLines: [[String]] {
    guard let text = try? String(contentsOf: effectsFile, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
  }
}
