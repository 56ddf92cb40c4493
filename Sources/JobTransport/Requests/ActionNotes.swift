package import JobModel

extension ActionNote: QuestionBody {
  /// What is wrong with the note, for people; nil: nothing.
  package var problem: String? {
    if !ActionNote.isWord(action) { return "\(Excerpt.quoted(action)) is no action: \(ActionNote.form)" }
    if AdminCodec.isWord(action) {
      return "\(action) is a command: give it, and it is recorded; a note is about what is done without a command"
    }
    for (member, text) in [("name", name), ("detail", detail)] {
      if let text, !SubmissionKey.isValid(text) { return "\(member) is not \(SubmissionKey.form)" }
    }
    return nil
  }

  private static let form = "1–\(longestAction) lower-case letters, digits and _"

  private static func isWord(_ text: String) -> Bool {
    (1...longestAction).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0.isDigit || $0 == UInt8(ascii: "_")
      }
  }

  /// The action as it is to be recorded.
  package func action(by author: CommandAuthor, at now: Timestamp) -> OperatorAction {
    OperatorAction(
      action: action, at: now, by: author.by, user: author.user, job: job, department: department, kind: kind,
      name: name, detail: detail)
  }
}
