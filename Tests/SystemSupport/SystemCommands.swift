import Foundation
import TestSupport

/// Commands that a person or a script gives to the system.
extension TellerSystem {
  /// What a command that has ended left behind.
  package struct Ended: Sendable {
    /// Its exit status, 128 + N when signal N ended it.
    package let status: Int32
    /// What it wrote to its standard output.
    package let lines: [String]
    /// What it wrote to its standard error.
    package let errors: [String]

    package init(status: Int32, lines: [String], errors: [String]) {
      (self.status, self.lines, self.errors) = (status, lines, errors)
    }

    /// The lines of `--json`, as objects.
    package var objects: [[String: any Sendable]] {
      lines.compactMap { line in
        (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: any Sendable]
      }
    }

    /// It found no connection within the seconds that it allows itself, and has done nothing.
    package var neverConnected: Bool { status != 0 && errors.contains { $0.contains("no connection to ") } }

    /// It is a question that found no answer: the broker (69) or the coordinator (75) took longer than people are kept
    /// waiting.
    package var hasNoAnswer: Bool { [69, 75].contains(status) }
  }

  /// Runs `teller` to its end.
  package func teller(_ arguments: String...) async throws -> Ended { try await run("teller", arguments) }

  /// Runs a command to its end: once more when it found no connection, because a command for people gives that up after
  /// ten seconds, and a busy machine may take longer.
  package func run(
    _ product: String, _ arguments: [String], input: String? = nil, within limit: Duration = TellerSystem.limit
  ) async throws -> Ended {
    let deadline = ContinuousClock.now + limit
    while true {
      try Task.checkCancellation()
      let process = try launch(product, arguments)
      if let input { try process.write(input) }
      process.closeInput()
      let status = try await process.waitForExit(within: limit)
      let ended = Ended(
        status: status, lines: process.text(of: .standardOutput), errors: process.text(of: .standardError))
      guard ended.neverConnected, ContinuousClock.now < deadline else { return ended }
    }
  }

  /// Asks by `teller status`, `show`, `jobs` or `wait`: again while there is no answer within the ten seconds of such a
  /// command.
  package func ask(_ arguments: [String], within limit: Duration = TellerSystem.limit) async throws -> Ended {
    let deadline = ContinuousClock.now + limit
    while true {
      let ended = try await run("teller", arguments, within: limit)
      guard ended.hasNoAnswer, ContinuousClock.now < deadline else { return ended }
    }
  }

  /// The same with the usual limit.
  package func ask(_ arguments: String...) async throws -> Ended { try await ask(arguments) }

  /// Submits a batch and returns the ids of its jobs, all of them accepted.
  package func submit(_ count: Int, _ line: String) async throws -> [String] {
    let batch = try batchFile(String(repeating: line + "\n", count: count))
    let ended = try await run(
      "teller", ["submit", "--batch", batch, "--json", "--within", "280s"], within: TellerSystem.longLimit)
    let accepted = ended.objects.filter { $0["event"] as? String == "accepted" }.compactMap { $0["job"] as? String }
    guard accepted.count == count else {
      throw NotAllAccepted(
        accepted: accepted.count, count: count, reason: "status \(ended.status): \(ended.errors)\n\(logs)")
    }
    return accepted
  }

  /// A file: nobody has to wait until a process reads what is written to it.
  private func batchFile(_ text: String) throws -> String {
    let file = folder.appending("batch-\(UUID().uuidString)")
    try Data(text.utf8).write(to: file)
    return file.path
  }

  /// A batch that is being submitted, until nobody is interested any more.
  package final class Submission: Sendable {
    /// The ids of its jobs, in the order of their submission.
    package let ids: [String]
    private let command: Task<Ended, any Error>

    fileprivate init(ids: [String], command: Task<Ended, any Error>) {
      self.ids = ids
      self.command = command
    }

    deinit { command.cancel() }

    /// How the command has ended; waits for that.
    package var ended: Ended { get async throws { try await command.value } }
  }

  /// Submits `effect` jobs in the background, to a system that may be in trouble meanwhile; their ids are the test's.
  package func beginSubmitting(_ count: Int, payload: String) throws -> Submission {
    let ids = (0..<count).map { _ in UUID().uuidString.lowercased() }
    let lines = ids.map { #"{"kind": "effect", "id": "\#($0)", "payload": \#(payload)}"# + "\n" }
    let file = try batchFile(lines.joined())
    let command = Task { try await self.submitInTrouble(file) }
    return Submission(ids: ids, command: command)
  }

  /// Submits a batch. A command that began while there was no broker is given again: the ids are the same.
  private func submitInTrouble(_ file: String) async throws -> Ended {
    let deadline = ContinuousClock.now + TellerSystem.longLimit
    while true {
      // The trouble may last: it is not this command's patience that is tested.
      let ended = try await run(
        "teller", ["submit", "--batch", file, "--within", "580s"], within: TellerSystem.longLimit * 2)
      guard ended.status == 69, ContinuousClock.now < deadline else { return ended }
    }
  }

  /// Copies the ledger, as for another machine, and returns where the copy is. It is the same ledger: its id is the same.
  package func copyOfLedger() async throws -> String {
    let copy = folder.appending("copy.ledger").path
    let ended = try await teller("ledger", "backup", copy)
    guard ended.status == 0 else { throw NoCopy(description: "\(ended.errors)") }
    return copy
  }

  /// One department's line of `teller status`.
  package func department(_ name: String) async throws -> [String: any Sendable] {
    let status = try await ask("status", "--json")
    let departments = status.objects.first?["departments"] as? [[String: any Sendable]]
    return departments?.first { $0["name"] as? String == name } ?? [:]
  }
}

/// A batch of which not every job was accepted.
package struct NotAllAccepted: Error, CustomStringConvertible {
  let accepted: Int
  let count: Int
  let reason: String

  /// How many were, and why not all.
  package var description: String { "\(accepted) of \(count) jobs were accepted: \(reason)" }
}

/// Why a ledger was not copied.
package struct NoCopy: Error, CustomStringConvertible {
  package let description: String
}
