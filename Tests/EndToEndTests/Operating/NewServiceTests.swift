import Foundation
import SystemSupport
import TestSupport
import Testing

/// `Deploy/new-service` and its templates. The templates are targets of this package, so what they hold is compiled.
/// `Tests/NewService/run` builds a service as its own package and runs it by its own scripts.
@Suite("A new service")
struct NewServiceTests {
  private static let script = PackageFolder.url.appending(path: "Deploy/new-service")

  @Test("is a package with the name that was given, and with settings that a coordinator takes")
  func made() async throws {
    let parent = try TemporaryFolder()
    let service = parent.appending("hello-two")
    #expect(try await newService("hello-two", service.path).status == 0)
    for file in try files(in: service) {
      let text = try String(contentsOf: service.appending(path: file), encoding: .utf8)
      #expect(!text.contains("greeter") && !file.contains("greeter"), "\(file) has the name of the template")
      #expect(try /@[a-z_]+@/.firstMatch(in: text) == nil, "\(file) has a placeholder")
    }
    let test = try String(contentsOf: service.appending(path: "Tests/GreetTests.swift"), encoding: .utf8)
    #expect(test.contains("@testable import hello_two"))
    #expect(try await ended("swift", ["package", "--package-path", service.path, "describe"]).status == 0)
    let teller = try BuiltProducts.url("teller")
    let settings = service.appending(path: "teller.yaml").path
    #expect(try await ended(teller.path, ["config", "check", settings]).status == 0)
  }

  @Test(
    "is not made with a name that no package or image can have: one line says so, and nothing is left behind",
    arguments: [
      "", "Hello", "hello_two", "2hello", "hello-", "-hello", "hello--two", "../hello", "hello two", "teller", "import",
      String(repeating: "a", count: 41),
    ])
  func wrongNames(name: String) async throws {
    let parent = try TemporaryFolder()
    try await expectRefusal(name, parent.appending("made").path)
    #expect(try files(in: parent.url).isEmpty)
  }

  @Test("is not made where something is, nor where no Dockerfile can name it")
  func wrongFolders() async throws {
    let parent = try TemporaryFolder()
    let full = parent.appending("full")
    try FileManager.default.createDirectory(at: full, withIntermediateDirectories: false)
    try Data("mine".utf8).write(to: full.appending(path: "teller.yaml"))
    try await expectRefusal("hello", full.path)
    try await expectRefusal("hello", parent.appending("a folder").path)
    #expect(try files(in: parent.url) == ["full/teller.yaml"])
    #expect(try String(contentsOf: full.appending(path: "teller.yaml"), encoding: .utf8) == "mine")
  }

  @Test("serves its first job, and submits others by its own command")
  func serves() async throws {
    let parent = try TemporaryFolder()
    let service = parent.appending("greeter")
    #expect(try await newService("greeter", service.path).status == 0)
    let system = try await TellerSystem.onSharedBroker()
    try takeSettings(of: service, for: system)
    let coordinator = try await system.startCoordinator()
    let worker = try system.launch("greeter", [], environment: ["HEALTH_ADDRESS": "127.0.0.1:0"])
    try await worker.waitForLine(containing: "ready", within: TellerSystem.limit)
    let submitted = try await system.ask("submit", "greet", "--payload", #"{"name": "Ada"}"#, "--wait")
    #expect(submitted.status == 0)
    #expect(submitted.lines.joined().contains("Good morning, Ada!"))
    let own = try await system.run("greeter", ["submit", "Ada", "Bob"])
    #expect(own.lines == ["Good morning, Ada!", "Good morning, Bob!"])
    worker.signal(SIGTERM)
    #expect(try await worker.waitForExit(within: TellerSystem.limit) == 0)
    try await coordinator.close()
  }

  /// Its settings without its users: the broker of these tests has one user for everybody.
  private func takeSettings(of service: URL, for system: TellerSystem) throws {
    let text = try String(contentsOf: service.appending(path: "teller.yaml"), encoding: .utf8)
    let settings = try #require(text.split(separator: "\nusers:").first)
    try Data(settings.utf8).write(to: system.folder.appending("teller.yaml"))
  }

  private func expectRefusal(_ arguments: String...) async throws {
    let refused = try await newService(arguments)
    #expect(refused.status == 1 && refused.lines.isEmpty && refused.errors.count == 1, "\(arguments): \(refused)")
  }

  private typealias Ended = (status: Int32, lines: [String], errors: [String])

  private func newService(_ arguments: String...) async throws -> Ended { try await newService(arguments) }

  private func newService(_ arguments: [String]) async throws -> Ended {
    try await ended(Self.script.path, arguments)
  }

  private func ended(_ program: String, _ arguments: [String]) async throws -> Ended {
    let process = try RunningProcess.launch(
      URL(filePath: "/usr/bin/env"), arguments: [program] + arguments)
    process.closeInput()
    let status = try await process.waitForExit(within: TellerSystem.limit)
    return (status, process.text(of: .standardOutput), process.text(of: .standardError))
  }

  /// The files below a folder, by their paths in it.
  private func files(in folder: URL) throws -> [String] {
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return paths.filter { path in
      let type = try? FileManager.default.attributesOfItem(atPath: folder.appending(path: path).path)[.type]
      return type as? FileAttributeType == .typeRegular
    }.sorted()
  }
}
