import Foundation
import SystemSupport
import TestSupport
import Testing

/// The file with the broker's URL is on a file system that hangs: a pipe that nobody writes into.
@Suite("Processes whose file of the URL hangs", .timeLimit(.minutes(10)))
struct HangingFileTests {
  private func makePipe(_ file: URL) throws {
    guard mkfifo(file.path, 0o600) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
  }

  private func environment(_ file: URL) -> [String: String] {
    ["TELLER_BROKER_URL": "", "TELLER_BROKER_URL_FILE": file.path]
  }

  @Test("end with a line that names the file, when it hangs at their start", arguments: ["coordinator", "status"])
  func start(command: String) async throws {
    let system = try TellerSystem(brokerURL: "amqp://127.0.0.1:1/")
    let file = system.folder.appending("broker-url")
    try makePipe(file)
    let process = try system.launch("teller", [command], environment: environment(file))
    #expect(try await process.waitForExit(within: TellerSystem.limit) == 78)
    let errors = process.text(of: .standardError)
    #expect(errors.count { $0.contains("\(file.path) cannot be read: it does not answer in time") } == 1, "\(errors)")
  }

  @Test("name it in their log, go on with the URL that they have, and end on SIGTERM")
  func serving() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let file = system.folder.appending("broker-url")
    try Data("\(system.brokerURL)\n".utf8).write(to: file)
    let coordinator = try await system.startCoordinator(environment: environment(file))
    let worker = try await system.startWorker(["work=1"], environment: environment(file))
    let lines = [coordinator.nextLineNumber, worker.nextLineNumber]
    try FileManager.default.removeItem(at: file)
    try makePipe(file)
    try await system.closeAllConnections()
    for (process, line) in zip([coordinator, worker], lines) {
      try await process.waitForLine(
        containing: "\(file.path) cannot be read: it does not answer in time", since: line, within: TellerSystem.limit)
    }
    try await coordinator.waitForLine(containing: "serving", since: lines[0], within: TellerSystem.limit)
    try await worker.waitForLine(containing: "ready", since: lines[1], within: TellerSystem.limit)
    for process in [worker, coordinator] {
      process.signal(SIGTERM)
      #expect(try await process.waitForExit(within: TellerSystem.limit) == 0, "\(system.logs)")
    }
  }
}
