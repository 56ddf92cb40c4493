import Foundation
import SystemSupport
import TestSupport
import Testing

/// The Python of the pages about the wire is run as it stands there.
@Suite("The Python of the wire pages", .serialized)
struct WirePagesTests {
  private static let folder = PackageFolder.url.appending(path: "Deploy/wire")
  /// The page whose first block is the module `wire`, which all other blocks import.
  private static let clientPage = "client.md"

  @Test("does what the pages say, page by page")
  func runs() async throws {
    let system = try await TellerSystem.onSharedBroker(
      departments: "work: {}, letters: {}, counter: {}, deposit: {}, init: {ordered: true}")
    let coordinator = try await system.startCoordinator()
    let module = try #require(try blocks(of: Self.clientPage).first)
    let pages = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    var played = 0
    for page in pages.sorted() where page.hasSuffix(".md") {
      let blocks = try blocks(of: page).dropFirst(page == Self.clientPage ? 1 : 0)
      guard !blocks.isEmpty else { continue }
      try await play(blocks.joined(separator: "\n"), of: page, module: module, on: system)
      played += 1
    }
    #expect(played > 0)
    try await coordinator.close()
  }

  private func play(_ program: String, of page: String, module: String, on system: TellerSystem) async throws {
    let folder = try TemporaryFolder()
    try Data(module.utf8).write(to: folder.appending("wire.py"))
    try Data(program.utf8).write(to: folder.appending("page.py"))
    // Python finds a module beside its program.
    let client = try system.launch(PythonVenv.pika(), named: page, [folder.appending("page.py").path])
    #expect(
      try await client.waitForExit(within: TellerSystem.limit) == 0, "\(page):\n\(client.lines)\n\(system.logs)")
  }

  private func blocks(of page: String) throws -> [String] {
    let text = try String(contentsOf: Self.folder.appending(path: page), encoding: .utf8)
    return text.matches(of: /```python\n([^`]*)```/).map { String($0.1) }
  }
}
