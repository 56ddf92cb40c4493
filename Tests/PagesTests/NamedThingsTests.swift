import Foundation
import TestSupport
import Testing
import Yams

/// Commands of the pages that need an engine, a cluster or a service manager are not run here. Whether the things that
/// they name exist is tested all the same: scripts and their options, services, units, resources.
@Suite("The pages name things that exist")
struct NamedThingsTests {
  static let commands = Page.all.flatMap(\.blocks).filter { $0.language == "sh" }
    .flatMap { block in ShellLine.all(of: block.lines).map { NamedCommand(page: block.page, words: $0) } }

  @Test("scripts of this repository, and their options", arguments: commands.filter { $0.script != nil })
  func scripts(command: NamedCommand) throws {
    let path = try #require(command.script)
    let text = try String(contentsOf: PackageFolder.url.appending(path: path), encoding: .utf8)
    for word in command.words where word.hasPrefix("--") {
      let option = String(word.prefix { $0 != "=" })
      #expect(text.contains(option), "\(command): \(path) does not know \(option)")
    }
  }

  @Test("files of this repository", arguments: commands)
  func files(command: NamedCommand) {
    for word in command.words where word.wholeMatch(of: /(Deploy|Tests|Sources)\/[A-Za-z0-9_@.\/*-]+/) != nil {
      #expect(Self.matches(word), "\(command): \(word) does not exist")
    }
  }

  @Test("services of Compose", arguments: commands.filter { $0.service != nil })
  func services(command: NamedCommand) throws {
    let service = try #require(command.service)
    #expect(Self.composeServices.contains(service), "\(command): there is no service \(service)")
  }

  @Test("units of systemd", arguments: commands.filter { $0.program == "systemctl" || $0.program == "journalctl" })
  func units(command: NamedCommand) {
    for word in command.words.dropFirst() {
      guard let match = word.wholeMatch(of: /((?:teller|bank)-[a-z]+@?)[0-9]*(\.timer)?/) else { continue }
      let unit = "Deploy/systemd/\(match.1)\(match.2 ?? ".service")"
      #expect(Self.matches(unit), "\(command): there is no \(unit)")
    }
  }

  @Test("resources of Kubernetes", arguments: commands.filter { $0.program == "kubectl" })
  func resources(command: NamedCommand) throws {
    for word in command.words {
      guard let match = word.wholeMatch(of: /(statefulset|deployment)\/([a-z-]+)/) else { continue }
      let manifest = try Self.text("Deploy/kubernetes").lowercased()
      let kind = "kind: \(match.1)\n"
      #expect(manifest.contains(kind) && manifest.contains("name: \(match.2)"), "\(command): \(word) is not deployed")
    }
  }

  @Test("settings of RabbitMQ that the files for it have", arguments: BlockTests.blocks("ini"))
  func settings(block: CodeBlock) throws {
    let known = try Self.text("Deploy/rabbitmq") + Self.text("Deploy/lib")
    for line in block.lines where !line.isEmpty {
      let setting = try #require(line.split(separator: "=").first).trimmingCharacters(in: .whitespaces)
      #expect(known.contains(setting.replacing(/\.[0-9]+$/) { _ in "." }), "\(block.description): \(setting)")
    }
  }

  @Test("YAML is YAML", arguments: BlockTests.blocks("yaml"))
  func yaml(block: CodeBlock) throws {
    let documents = try Yams.compose_all(yaml: block.text)
    #expect(documents.reduce(into: 0) { count, _ in count += 1 } > 0, "\(block.description) is empty")
    #expect(documents.error == nil, "\(block.description)")
  }

  @Test("the checks find a script, a service and a unit that do not exist")
  func check() {
    let words = { (line: String) in ShellLine.all(of: [line])[0] }
    let command = { (line: String) in NamedCommand(page: "page", words: words(line)) }
    #expect(command("Deploy/tset --fast").script == "Deploy/tset" && !Self.matches("Deploy/tset"))
    #expect(command("docker compose run --rm --entrypoint sh porter -c 'true' # x").service == "porter")
    #expect(command("docker compose up -d --wait --force-recreate rabbit").service == "rabbit")
    #expect(command("docker compose down").service == nil)
    #expect(words("a \\") == ["a"] && ShellLine.all(of: ["a \\", "  b # c"]) == [["a", "b"]])
    #expect(Self.matches("Deploy/systemd/teller-backup.*") && !Self.matches("Deploy/systemd/taller.*"))
  }

  private static let composeServices: Set<String> = {
    let files = ["compose.yaml", "Deploy/compose-tls.yaml", "Deploy/service/compose.override.yaml"]
    return Set(files.flatMap { file in (try? services(in: file)) ?? [] })
  }()

  /// A placeholder of a template begins with a character that YAML reserves.
  private static func services(in file: String) throws -> [String] {
    let text = try String(contentsOf: PackageFolder.url.appending(path: file), encoding: .utf8)
    let names = try Yams.compose(yaml: text.replacing("@", with: ""))?["services"]?.mapping?.keys
    return names?.compactMap(\.string) ?? []
  }

  /// Whether a file has that path, in which a star stands for anything.
  private static func matches(_ path: String) -> Bool {
    var found = glob_t()
    defer { globfree(&found) }
    return glob(PackageFolder.url.appending(path: path).path, 0, nil, &found) == 0
  }

  /// The texts of all files in a folder.
  private static func text(_ folder: String) throws -> String {
    let base = PackageFolder.url.appending(path: folder)
    let files = try FileManager.default.contentsOfDirectory(at: base, includingPropertiesForKeys: nil)
    return try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
  }
}
