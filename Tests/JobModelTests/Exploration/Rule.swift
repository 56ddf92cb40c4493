/// The rules of releases and claims, each of which a world can be explored without: what an exploration finds then is
/// what the rule is for.
enum Rule: String, CaseIterable, Sendable {
  /// A redelivered or flagged delivery is claimed before it runs.
  case claim
  /// A release that is published again carries the flag.
  case claimFlag
  /// Presence counts only if it echoes a probe that was sent after the claim.
  case probe
  /// A message to oneself through the reports queue comes before `run`.
  case fence
  /// A grant makes the release's other claims start over.
  case oneGrant
  /// Claims and presence go by the release, which a grant does not change.
  case byRelease
  /// A job that is nowhere is claimed by the coordinator itself.
  case lost
  /// The worker that asks must echo the probe too: its question may have crossed the answer.
  case askerEchoes
  /// A restarted coordinator's numbers are above all earlier ones.
  case numbers
  /// A restarted coordinator knows whom it has to wait for.
  case welcomedList
}
