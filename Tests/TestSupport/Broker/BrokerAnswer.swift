/// What `Deploy/broker` answers to one command.
struct BrokerAnswer {
  /// The output of `ctl`; other commands have none.
  let output: [String]
  /// What follows the word of the last line: an address, an exit status, or nothing.
  let result: String

  /// One line of an answer.
  enum Part {
    case output(String)
    case end(String)
    case refused(String)

    init(_ line: String) {
      if line.hasPrefix("| ") {
        self = .output(String(line.dropFirst(2)))
      } else if line.hasPrefix("error ") {
        self = .refused(String(line.dropFirst(6)))
      } else {
        self = .end(line.split(separator: " ", maxSplits: 1).dropFirst().first.map(String.init) ?? "")
      }
    }
  }
}

/// A command that the broker of a test could not do.
package struct BrokerRefusal: Error, CustomStringConvertible {
  /// The command as it was given.
  package let command: String
  /// What was wrong, in the words of the script or of `rabbitmqctl`.
  package let reason: String

  package var description: String { "the test broker could not do \"\(command)\": \(reason)" }
}
