import Yams

/// A problem with its line.
struct LineProblem: Error {
  var line: Int
  var problem: String

  init(_ node: Node, _ problem: String) {
    line = node.mark?.line ?? 1
    self.problem = problem
  }
}

extension Node {
  /// The node at the end of the path of keys, or the last one on the way.
  func node(at path: ArraySlice<String>) -> Node {
    guard let key = path.first, let next = mapping?[Node(key)] else { return self }
    return next.node(at: path.dropFirst())
  }

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
