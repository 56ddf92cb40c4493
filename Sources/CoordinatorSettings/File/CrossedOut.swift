import Yams

/// A text of YAML in which keys are crossed out. The parser takes no mapping that has a key twice; crossed out, the first
/// of the two is another key.
struct CrossedOut {
  private(set) var yaml: String
  private var count = 0

  /// Where it begins, a key is crossed out: a character that Unicode gives no meaning.
  private static let mark: Unicode.Scalar = "\u{E000}"

  init(_ yaml: String) { self.yaml = yaml }

  /// Crosses out the key that begins there.
  ///
  /// - Returns: Whether that was possible.
  mutating func crossOutKey(at place: Mark) -> Bool {
    if count == 0, yaml.unicodeScalars.contains(Self.mark) { return false }
    var lines = yaml.split(separator: "\n", omittingEmptySubsequences: false).map { Array($0.unicodeScalars) }
    let (row, column) = (place.line - 1, place.column - 1)
    guard lines.indices.contains(row), lines[row].indices.contains(column) else { return false }
    let isQuoted = ["\"", "'"].contains(lines[row][column])
    lines[row].insert(Self.mark, at: isQuoted ? column + 1 : column)
    yaml = lines.map { String(String.UnicodeScalarView($0)) }.joined(separator: "\n")
    count += 1
    return true
  }

  /// The tree without what is crossed out.
  func rest(of node: Node) -> Node {
    if count == 0 { return node }
    switch node {
    case .mapping(var mapping):
      for (key, value) in mapping {
        let isCrossedOut = key.string?.unicodeScalars.first == Self.mark
        mapping[key] = isCrossedOut ? nil : rest(of: value)
      }
      return .mapping(mapping)
    case .sequence(var sequence):
      for index in sequence.indices { sequence[index] = rest(of: sequence[index]) }
      return .sequence(sequence)
    default: return node
    }
  }
}
