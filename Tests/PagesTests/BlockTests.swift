import CoordinatorSettings
import Foundation
import TestSupport
import Testing

@Suite("The code in the pages")
struct BlockTests {
  private static let languages: Set = [
    "sh", "swift", "yaml", "json", "python", "ini", "dockerfile", "text", "mermaid", "erlang",
  ]

  static func blocks(_ language: String) -> [CodeBlock] {
    Page.all.flatMap(\.blocks).filter { $0.language == language }
  }

  @Test("names its language", arguments: Page.all)
  func languages(page: Page) {
    for block in page.blocks {
      #expect(Self.languages.contains(block.language), "\(block.description): \(block.language)")
    }
  }

  @Test("in JSON is JSON", arguments: blocks("json"))
  func json(block: CodeBlock) {
    #expect(throws: Never.self, "\(block.description)") {
      _ = try JSONSerialization.jsonObject(with: Data(block.text.utf8), options: .fragmentsAllowed)
    }
  }

  @Test("in Swift is compiled: its lines stand in an example of these tests", arguments: blocks("swift"))
  func swift(block: CodeBlock) throws {
    #expect(CompiledExamples.all.contains { $0.holds(block.lines) }, "\(block.description)")
  }

  @Test("the check of Swift heeds every line and the indentation within a block")
  func check() {
    let example = CompiledExamples(text: "import Teller\n\nfunc f() {\n  if true {\n    g()\n  }\n}\n")
    #expect(example.holds(["if true {", "  g()", "}"]))
    #expect(!example.holds(["if true {", "g()", "}"]))
    #expect(!example.holds(["if true {", "}"]))
    #expect(!example.holds([]))
  }

  private static let coordinatorKeys: Set = [
    "departments", "kinds", "users", "schedules", "plans", "retention", "lease",
  ]

  @Test("in YAML that sets up a coordinator is one that a coordinator would use", arguments: blocks("yaml"))
  func yaml(block: CodeBlock) throws {
    let keys = Set(block.lines.compactMap { $0.wholeMatch(of: /([a-z_]+):.*/)?.1 }.map(String.init))
    guard !keys.isDisjoint(with: Self.coordinatorKeys) else { return }
    let folder = try TemporaryFolder()
    let file = folder.appending("teller.yaml")
    let departments =
      keys.contains("departments") ? "" : "departments: {letters: {}, deposit: {}, loan: {}, init: {}}\n"
    try Data((departments + block.text).utf8).write(to: file)
    #expect(throws: Never.self, "\(block.description)") {
      _ = try ProcessSettings.load(file: file.path, isForCoordinator: true, environment: [:])
    }
  }
}

/// A source file that the package compiles, as the pages quote it.
struct CompiledExamples: Sendable {
  private let lines: [Substring]

  init(text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// Whether the lines stand in the file, one after the other; as a whole they may be indented.
  func holds(_ wanted: [String]) -> Bool {
    guard let first = wanted.first(where: { !$0.isEmpty }) else { return false }
    return lines.indices.contains { start in
      guard lines[start].hasSuffix(first), start + wanted.count <= lines.count else { return false }
      let indent = lines[start].dropLast(first.count)
      guard indent.allSatisfy({ $0 == " " }) else { return false }
      return zip(wanted, lines[start...]).allSatisfy { $0.isEmpty ? $1.isEmpty : $1 == indent + $0 }
    }
  }

  /// The sources that may be quoted: each belongs to a target that is built with the tests, or to a package of its own
  /// that a test builds.
  static let all: [CompiledExamples] = {
    let folders = [
      "Tests/PageExamples", "Tests/FirstHandler", "Tests/ServerExample", "Sources/BankExample", "Deploy/service",
    ]
    return folders.flatMap { folder -> [CompiledExamples] in
      let base = PackageFolder.url.appending(path: folder)
      let paths = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
      let sources = paths.filter { $0.hasSuffix(".swift") && !$0.contains(".build/") }
      return sources.compactMap { try? String(contentsOf: base.appending(path: $0), encoding: .utf8) }
        .map(CompiledExamples.init)
    }
  }()
}
