package import JobModel

/// An event after a choice, as `--json` prints it.
package struct EventChange: Encodable, Sendable {
  package var event: EventStatus
  /// Whether the choice was new.
  package var changed: Bool

  package init(event: EventStatus, changed: Bool) { (self.event, self.changed) = (event, changed) }

  private enum CodingKeys: String, CodingKey {
    case changed
  }

  package func encode(to encoder: any Encoder) throws {
    try event.encode(to: encoder)
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(changed, forKey: .changed)
  }
}
