import Foundation
import JobModel
import Teller

extension GlobalOptions {
  /// Has the coordinator record what the command has done, which was no command of the coordinator. It is done already: where
  /// it cannot be recorded, one line on standard error says so, and the command goes on.
  ///
  /// The client is one of its own, without a log: the log would tell a second time that the user may not command.
  ///
  /// - Parameters:
  ///   - note: What was done; nil: nothing.
  ///   - id: The note's id; the same one where the same thing may be done again.
  func record(_ note: ActionNote?, id: UUID = UUID()) async {
    guard let note else { return }
    do {
      _ = try await withClient("actions", isQuiet: true, notesMistakes: false) {
        try await $0.note(note, id: id)
      }
    } catch {
      Output.note("this is not in the record of actions: \(Failure(error).message ?? "no reason is known")")
    }
  }
}
