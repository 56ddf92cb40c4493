import ArgumentParser
import Foundation
import JobTransport
import Teller
import TellerHealth

struct HealthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health",
    abstract: "Asks coordinators and workers whether they are ready.",
    discussion: """
      A coordinator or a worker answers where it was told to: `teller coordinator --health 127.0.0.1:8081`. A process is ready \
      when it is connected to the broker, its consumers get messages, its loops turn, the ledger of a coordinator can be \
      written, and no department of a worker has only stuck tellers. The exit code is 3 unless all are ready.

      Over HTTP the same address answers GET /ready with 200 or 503. GET /health answers 200 as long as the process answers.

      With --json one object a line: {"address", "ready", "checks" [{"name", "ok", "detail", "age_ms"}]}. A process that does \
      not answer has {"address", "ready": false, "error"}.

      EXAMPLE: teller health 127.0.0.1:8081 127.0.0.1:8082
      """
  )

  @Argument(
    help: ArgumentHelp(
      "Where to ask, as HOST:PORT or http://HOST:PORT. (default: 127.0.0.1:8081)", valueName: "address"))
  var addresses: [HealthAddress] = []

  @Flag(name: .shortAndLong, help: "Print one JSON object a line.")
  var json = false

  @OptionGroup var colors: ColorOptions

  func run() async throws {
    let answers = await HealthAnswer.ask(addresses.isEmpty ? [.usual] : addresses)
    for answer in answers { json ? try Output.json(answer) : Output.line(answer.line) }
    guard answers.allSatisfy(\.ready) else { throw Failure(.notReady) }
  }
}

/// The answer of one process, or its absence.
struct HealthAnswer: Encodable, Equatable {
  var address: String
  var ready: Bool
  var checks: [HealthDocument.Check]?
  var error: String?

  init(_ address: HealthAddress, _ result: Result<HealthDocument, HealthProbeError>) {
    self.address = address.description
    switch result {
    case .success(let document): (ready, checks) = (document.ready, document.checks)
    case .failure(let problem): (ready, error) = (false, problem.description)
    }
  }

  /// Asks all processes at the same time. The answers have the order of the addresses.
  static func ask(_ addresses: [HealthAddress]) async -> [HealthAnswer] {
    await withTaskGroup(of: (Int, HealthAnswer).self) { group in
      for (index, address) in addresses.enumerated() {
        group.addTask {
          let result = await Result(ofAwaiting: { () async throws(HealthProbeError) in
            try await HealthProbe.ask(address)
          })
          return (index, HealthAnswer(address, result))
        }
      }
      return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  /// `127.0.0.1:8081  ready`, or why not.
  var line: String {
    if let error { return "\(address)  no answer: \(error.onOneLine)" }
    let failed = (checks ?? []).filter { !$0.ok }.map { "\($0.name): \($0.detail)" }
    let reasons = failed.isEmpty ? "" : ": " + failed.joined(separator: "; ").onOneLine
    return ready ? "\(address)  ready" : "\(address)  not ready\(reasons)"
  }
}
