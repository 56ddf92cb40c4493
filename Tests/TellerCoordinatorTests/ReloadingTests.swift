import Foundation
import HostingSupport
import TestSupport
import Testing

@testable import TellerCoordinator

@Suite("A reading of the file that hangs", .timeLimit(.minutes(10)))
struct ReloadingTests {
  private let log = ServiceLog()

  @Test("is told in the log once it has taken long, and counts when it ends after all")
  func hangs() async throws {
    // Nobody connects to it: the coordinator does not run.
    let place = try CoordinatorPlace(broker: "amqp://127.0.0.1:1/")
    let coordinator = try place.coordinator("departments: {work: {cap: 1}}\n", logger: log.logger)
    var reloading = coordinator.reloading
    reloading.patience = .milliseconds(100)
    let running = Task { [reloading] in await reloading.run() }
    try FileManager.default.removeItem(atPath: place.file)
    try #require(mkfifo(place.file, 0o600) == 0)
    coordinator.reload()
    try await log.wait(for: "warning: \(place.file) is not read yet")
    #expect(!log.lines.contains { $0.contains("read \(place.file) again") }, "\(log.lines)")

    // A pipe can be opened for writing once somebody reads it.
    var writing: Int32 = -1
    try await eventually("somebody reads the file", within: patience) {
      writing = open(place.file, O_WRONLY | O_NONBLOCK)
      return writing >= 0
    }
    let pipe = FileHandle(fileDescriptor: writing, closeOnDealloc: true)
    try pipe.write(contentsOf: Data("departments: {work: {cap: 3}}\n".utf8))
    try pipe.close()
    try await log.wait(for: "read \(place.file) again: department work: cap 1 → 3")
    #expect(log.lines.count { $0.contains("is not read yet") } == 1, "\(log.lines)")
    running.cancel()
    try await limited("the end of the readings") { await running.value }
  }
}
