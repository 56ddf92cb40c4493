/// The changes of jobs that are never recorded, and relayed to watches only if the settings ask for it (`live:`).
public enum LiveEvent: String, Hashable, Sendable, CaseIterable {
  /// A job was accepted.
  case accepted
  /// A job was released to the queue of its department. A job that runs again is released again.
  case released
}
