/// How many messages a queue of a test's broker has.
package struct QueueDepth: Sendable {
  package let name: String
  /// All, those that somebody has in hand too; nil: nobody answers for the queue.
  package let messages: Int?
  /// Those that nobody has in hand; nil: nobody answers for the queue.
  package let ready: Int?

  /// One line of what `Deploy/broker` answers.
  init?(_ line: String) {
    let words = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard words.count == 3 else { return nil }
    self.name = String(words[0])
    self.messages = Int(words[1])
    self.ready = Int(words[2])
  }
}
