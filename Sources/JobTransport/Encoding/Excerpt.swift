/// What a peer sent, made fit for an error that people read: short, and without control characters, which could
/// pretend to be lines of a log.
enum Excerpt {
  /// The longest excerpt, in characters.
  static let longest = 64

  static func quoted(_ text: String) -> String {
    let short = text.prefix(longest)
    let cut = short.endIndex == text.endIndex ? "" : "…"
    return String(short).debugDescription + cut
  }

  /// Without quotes, for a name that reads well as it is.
  static func plain(_ text: String) -> String {
    String(quoted(text).dropFirst().prefix { $0 != "\"" })
  }
}
