/// A word for a shell.
enum ShellWord {
  private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+=,")

  /// The word, in quotes where the shell would read it as something else.
  static func quoted(_ word: String) -> String {
    if !word.isEmpty, word.allSatisfy(plain.contains) { return word }
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
