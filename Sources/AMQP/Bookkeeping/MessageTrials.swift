/// Which messages go alone, so that a refusal of the broker has one subject.
///
/// The broker refuses a message by closing the channel, and does not say which one it was. So a message that the broker may
/// refuse is on trial: it is sent when no other message is outstanding, and none follows it before the broker has answered.
///
/// A message is on trial if its body is larger than any that the broker has taken on this connection. The first bodies up
/// to ``harmless`` bytes need no trial: no sensible limit of a broker is lower, and there are many of them. Where a broker
/// has refused a message all the same, the next connection is cautious, and has its first messages on trial, whatever
/// their size.
///
/// A pure value.
struct MessageTrials: Sendable, Hashable {
  /// Bodies up to this size need no trial, in bytes.
  static let harmless = 16 << 10

  /// The largest body that needs no trial, in bytes.
  private(set) var largestTaken = MessageTrials.harmless
  /// How many messages are on trial yet, whatever their size.
  private(set) var cautious: Int
  /// Whether a message on trial has no answer yet.
  private(set) var isUnderWay = false

  init(cautious: Int = 0) { self.cautious = cautious }

  /// Whether a message with a body of so many bytes goes alone.
  func isDue(for bytes: Int) -> Bool { bytes > largestTaken || cautious > 0 }

  /// A message on trial was sent.
  mutating func begin() {
    isUnderWay = true
    cautious = max(0, cautious - 1)
  }

  /// The broker has taken a message on trial, with a body of so many bytes.
  mutating func taken(_ bytes: Int) {
    isUnderWay = false
    largestTaken = max(largestTaken, bytes)
  }

  /// The broker has refused the message on trial.
  mutating func refused() { isUnderWay = false }
}
