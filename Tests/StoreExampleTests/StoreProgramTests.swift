import Foundation
import SystemSupport
import Synchronization
import TestSupport
import Testing

@testable import StoreExample

/// The program that a user copies, with its own configuration file.
@Suite("The program store", .serialized, .timeLimit(.minutes(10)))
struct StoreProgramTests {
  private static let file = PackageFolder.url.appending(path: "Sources/StoreExample/teller.yaml").path

  private func coordinator(on system: TellerSystem) async throws -> RunningProcess {
    try await system.startCoordinator(environment: ["TELLER_CONFIG": Self.file])
  }

  @Test("a day with a shop of its own, and what it says of it")
  func day() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await coordinator(on: system)
    let day = try await system.run("store", ["day"], within: TellerSystem.longLimit)
    #expect(day.status == 0, "\(day.lines)\n\(day.errors)\n\(system.logs)")
    for line in ["● connected", "tea: 4 products, with their pictures", "is refused: it was made from version 1"] {
      #expect(day.lines.contains { $0.contains(line) }, "\(line): \(day.lines)")
    }
    let report = try await system.run("store", ["day", "--json"], within: TellerSystem.longLimit)
    #expect(report.lines.count == 1)
    #expect(report.lines[0].contains(#""pictures":12,"posts":1,"presses":2"#), "\(report.lines)")
    try await coordinator.close()
  }

  @Test("a worker that is killed in the middle of a picture leaves no half file, and the next one fetches the section")
  func killed() async throws {
    let halves = Halves()
    var server = ShopServer(books: ShopBooks())
    server.picture = Array(repeating: 7, count: 200_000)
    server.betweenHalves = { await halves.reached() }
    let system = try await TellerSystem.onSharedBroker()
    let file = try String(contentsOfFile: Self.file, encoding: .utf8)
    // The next worker gets the job when the dead one's lease has ended: soon, here.
    try Data("lease: \(TellerSystem.leaseOfTheDead)\n\(file)".utf8).write(to: system.folder.appending("teller.yaml"))
    try await server.run { address in
      let coordinator = try await system.startCoordinator()
      let worker = try await launchWorker(on: system, address)
      let submitted = try await system.teller(
        "submit", "section", "--payload", #"{"name": "tea"}"#, "--attempts", "5")
      #expect(submitted.status == 0, "\(submitted.errors)")
      try await limited("half a picture is sent") { await halves.first() }
      worker.signal(SIGKILL)
      _ = try await worker.waitForExit(within: TellerSystem.limit)
      halves.goOn()
      let folder = system.folder.appending("pictures")
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(left.allSatisfy { $0.hasSuffix(".download") }, "no file has a picture's name: \(left)")
      let second = try await launchWorker(on: system, address)
      let waited = try await system.run(
        "teller", ["wait", try #require(submitted.lines.first), "--within", "280s"], within: TellerSystem.longLimit)
      #expect(waited.status == 0, "\(waited.lines) \(waited.errors)\n\(system.logs)")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".picture") }
      let sizes = try names.map { try Data(contentsOf: folder.appending(path: $0)).count }
      #expect(sizes == Array(repeating: 200_000, count: 4))
      for process in [second, coordinator] { try await process.close() }
    }
  }

  private func launchWorker(on system: TellerSystem, _ shop: URL) async throws -> RunningProcess {
    let staff = ["--department", "shop=1", "--department", "orders=1", "--cache", "pictures"]
    let worker = try system.launch("store", ["worker", "--shop", shop.absoluteString] + staff)
    try await worker.waitForLine(containing: "ready", within: TellerSystem.limit)
    return worker
  }
}

/// Holds pictures between their halves.
private final class Halves: Sendable {
  private let reachedOnce = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
  private let open = AsyncStream.makeStream(of: Void.self)

  func reached() async {
    reachedOnce.continuation.yield()
    for await _ in open.stream {}
  }

  func first() async { for await _ in reachedOnce.stream { return } }
  /// Lets all go on, also later ones.
  func goOn() { open.continuation.finish() }
}
