import JobModel
import Yams

/// The kinds of the file, for the plans: a step or an event of a kind that nobody knows would wait for a worker for ever.
struct KnownKinds {
  /// Nil: not known, because that part of the file cannot be read.
  let names: Set<JobKind>?

  /// Notes a kind that the file does not name.
  func check(_ kind: JobKind?, at node: Node?, _ mistakes: inout Mistakes) {
    guard let kind, let node, isUnknown(kind) else { return }
    mistakes.note(node, unknown(kind))
  }

  /// Notes that the kind of an event, which is the event's name where no kind is named, is not known.
  func checkName(_ kind: JobKind, at node: Node, _ mistakes: inout Mistakes) {
    guard isUnknown(kind) else { return }
    mistakes.note(node, unknown(kind, ", and an event without \"kind\" has the kind of its own name"))
  }

  private func isUnknown(_ kind: JobKind) -> Bool { names?.contains(kind) == false }

  private func unknown(_ kind: JobKind, _ why: String = "") -> String {
    let advice = Suggestion.question(for: kind.name, in: (names ?? []).map(\.name))
    return "there is no kind \"\(kind)\" under `kinds:`\(why)\(advice)"
  }
}
