/// For how long a key is taken.
public enum KeyWindow: Hashable, Sendable {
  /// For so long after the acceptance of its job, from a second to 366 days, and in any case until the job has ended.
  case lasting(Duration)
  /// Exactly while its job has no outcome: the next submission with the key runs as soon as the job has ended.
  case whileLive

  /// So many seconds.
  public static func seconds(_ seconds: Int) -> KeyWindow { .lasting(.seconds(seconds)) }

  /// The word for ``whileLive`` in headers, files and arguments.
  package static let whileLiveWord = "while-live"
}
