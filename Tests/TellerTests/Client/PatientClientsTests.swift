import TestSupport
import Testing

/// A client waits for 15 to 60 seconds by default, which is enough for a program, and too little for a test beside hundreds
/// of others.
@Suite("The time limits of clients in tests")
struct PatientClientsTests {
  /// What is written for readers, measures, or tries the limits themselves.
  private static let exceptions = [
    "PageExamples/", "ServerExample/", "Benchmarks/", "FirstHandler/", "TestBench/",
    "TellerTests/Client/PatientClientsTests.swift", "TellerTests/Configuration/ConfigurationTLSTests.swift",
    "TellerTests/Client/ClientServiceTests.swift",
  ]

  /// A call that makes a client, up to its end: calls within it have no calls within them.
  private static let makes = #"TellerClient(?:\.connect)?\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"#

  @Test("none has those of a program")
  func patient() throws {
    let files = try SourceFile.all(in: "Tests").filter { file in
      !Self.exceptions.contains { file.path.hasPrefix($0) }
    }
    let calls = try files.flatMap { file in try file.matches(of: Self.makes).map { "\(file.path): \($0)" } }
    #expect(calls.count > 10)
    #expect(calls.filter { !$0.contains("timeouts: ") } == [])
  }
}
