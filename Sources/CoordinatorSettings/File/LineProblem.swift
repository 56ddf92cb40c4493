import Yams

/// A problem with its line.
struct LineProblem: Error {
  var line: Int
  var problem: String

  init(_ node: Node, _ problem: String) {
    line = node.line
    self.problem = problem
  }
}

/// A value that has the right type and cannot be used.
struct BadValue: Error, CustomStringConvertible {
  /// How many characters of a wrong text are shown.
  static let shownCharacters = 40

  let description: String
  init(_ description: String) { self.description = description }
}

extension Node {
  /// The line of the file, from 1.
  var line: Int { mark?.line ?? 1 }

  /// Whether the node is a `key:` without a value.
  var isNothing: Bool { null != nil }

  /// The node for an error, short enough for a line.
  var shown: String {
    switch self {
    case .scalar(let scalar): isNothing ? "nothing" : Shown.text(scalar.string)
    case .mapping: "a mapping"
    case .sequence: "a list"
    case .alias: "an alias"
    }
  }
}

/// A text of the file for an error.
enum Shown {
  /// A text that looks like a URL is not shown: on a wrong line it may be the broker's, with its password.
  static func text(_ text: String) -> String {
    text.contains("@") || text.contains("://") ? "something else" : "\"\(text.prefix(BadValue.shownCharacters))\""
  }
}

extension Mistakes {
  /// Notes what is wrong with a node.
  mutating func note(_ node: Node, _ problem: @autoclosure () -> String) { note(line: node.line, problem()) }
}
