import Foundation
import HostingSupport
import TestSupport
import Testing

@testable import TellerCoordinator

@Suite("A reading of the file that hangs", .timeLimit(.minutes(10)))
struct ReloadingTests {
  private let log = ServiceLog()

  @Test("is told in the log, changes nothing, and holds up no later one")
  func hangs() async throws {
    // Nobody connects to it: the coordinator does not run.
    let place = try CoordinatorPlace(broker: "amqp://127.0.0.1:1/")
    let coordinator = try place.coordinator("departments: {work: {cap: 1}}\n", logger: log.logger)
    let running = Task { [reloading = coordinator.reloading] in await reloading.run() }
    try FileManager.default.removeItem(atPath: place.file)
    // Nobody writes into it.
    try #require(mkfifo(place.file, 0o600) == 0)
    coordinator.reload()
    try await log.wait(for: "error: \(place.file) cannot be read: it does not answer in time")
    #expect(!log.lines.contains { $0.contains("read \(place.file) again") }, "\(log.lines)")

    try FileManager.default.removeItem(atPath: place.file)
    try Data("departments: {work: {cap: 3}}\n".utf8).write(to: URL(filePath: place.file))
    coordinator.reload()
    try await log.wait(for: "read \(place.file) again: department work: cap 1 → 3")
    running.cancel()
    try await limited("the end of the readings") { await running.value }
  }
}
