import Foundation
import SystemSupport
import TestSupport
import Testing

/// A named pipe for the log of a process, which is full from the start, and which nobody reads.
private final class UnreadLog: Sendable {
  let path: String
  /// Both ends: opening it waits for nobody, and it has a reader who does not read.
  private let descriptor: Int32

  init(_ name: String, of system: TellerSystem) throws {
    path = system.folder.appending(name).path
    guard mkfifo(path, 0o600) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    // Lines that fill a page of the pipe each: no room is left beside them.
    let line = Array((String(repeating: "x", count: 4095) + "\n").utf8)
    while line.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) > 0 {}
  }

  deinit { close(descriptor) }

  /// Reads it from now on.
  func read() throws -> RunningProcess {
    try RunningProcess.launch(URL(filePath: "/bin/cat"), arguments: [path])
  }
}

/// The reader of a log, such as a collector, is stuck: a pipe takes no more, and every write into it would wait.
@Suite("Processes whose log nobody reads", .serialized)
struct UnreadLogTests {
  private func launch(
    _ system: TellerSystem, _ product: String, _ arguments: [String], into log: UnreadLog
  ) throws -> RunningProcess {
    // The process keeps the id of the shell.
    let script = #"exec "$0" "$@" 2>"$UNREAD_LOG""#
    return try system.launch(
      URL(filePath: "/bin/bash"), named: "\(product) with an unread log",
      ["-c", script, try BuiltProducts.url(product).path] + arguments, environment: ["UNREAD_LOG": log.path])
  }

  private func end(_ process: RunningProcess) async throws {
    process.signal(SIGTERM)
    #expect(try await process.waitForExit(within: TellerSystem.limit) == 0)
  }

  @Test("serve their jobs to the end, answer, and end on SIGTERM")
  func unread() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let logs = [try UnreadLog("coordinator.log", of: system), try UnreadLog("worker.log", of: system)]
    let coordinator = try launch(system, "teller", ["coordinator"], into: logs[0])
    let worker = try launch(system, "testbench", ["--department", "work=2"], into: logs[1])
    let failing = try await system.submit(20, #"{"kind": "fail", "attempts": 1}"#)
    #expect(Set(try await system.outcomes(of: failing).values) == ["failed"], "each of these is a line of a log")
    let jobs = try await system.submit(20, #"{"kind": "effect", "payload": {}}"#)
    #expect(Set(try await system.outcomes(of: jobs).values) == ["succeeded"])
    let status = try await system.ask("status")
    #expect(status.status == 0, "\(status)")
    try await end(worker)
    try await end(coordinator)
    withExtendedLifetime(logs) {}
  }

  @Test("write what waits when the log is read again")
  func readAgain() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let log = try UnreadLog("coordinator.log", of: system)
    let coordinator = try launch(system, "teller", ["coordinator"], into: log)
    let status = try await system.ask("status")
    #expect(status.status == 0, "\(status)")
    let reader = try log.read()
    try await reader.waitForLine(containing: "serving", within: TellerSystem.limit)
    try await end(coordinator)
    try await reader.close()
  }

  @Test("end with their exit code when they fail at their start")
  func failing() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let log = try UnreadLog("worker.log", of: system)
    let worker = try launch(system, "bank", ["worker", "--department", "nowhere=1"], into: log)
    #expect(try await worker.waitForExit(within: TellerSystem.limit) == 78)
    withExtendedLifetime(log) {}
    try await coordinator.close()
  }
}
