/// A peer's text, made fit for an error: short, and without control characters, which could look like lines of a log.
package enum Excerpt {
  /// The longest excerpt, in characters.
  package static let longest = 64

  package static func quoted(_ text: String) -> String {
    let short = text.prefix(longest)
    let cut = short.endIndex == text.endIndex ? "" : "…"
    return String(short).debugDescription.visible + cut
  }

  /// The same without quotes, for a name.
  package static func plain(_ text: String) -> String {
    String(quoted(text).dropFirst().prefix { $0 != "\"" })
  }
}
