import JobModel

/// An event that was sent, or its job, with what was decided about the event. `--json` prints the decision in the members
/// that `submit --json` has for it.
struct SentEvent<Sent: Encodable>: Encodable {
  let sent: Sent
  let decision: SubmissionDecision

  init(_ sent: Sent, _ decision: SubmissionDecision) { (self.sent, self.decision) = (sent, decision) }

  private enum CodingKeys: String, CodingKey {
    /// The decision in one word, as for `submit`. The event's own name is the member `name`.
    case event
    case duplicateOf, content, error
  }

  func encode(to encoder: any Encoder) throws {
    try sent.encode(to: encoder)
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(decision.answer, forKey: .event)
    guard decision.answer == .duplicate else { return }
    try members.encodeIfPresent(decision.other, forKey: .duplicateOf)
    try members.encodeIfPresent(decision.isSameContent.map { $0 ? "same" : "different" }, forKey: .content)
    try members.encodeIfPresent(decision.failure, forKey: .error)
  }
}
