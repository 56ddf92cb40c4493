import JobModel
import JobTransport
import Yams

/// Reads YAML as JSON, within a limit: by aliases a small file may hold a huge value.
///
/// A word without quotes is as in YAML 1.2: `null`, `~`, `true`, `false`, a number; else a text, also `no` and `12:30`.
struct PayloadNode {
  /// How many bytes are left, about: a text counts its bytes, each value one.
  private var left: Int
  /// The largest payload, in bytes: that of a job.
  static let largest = SubmissionCodec.defaultBodyLimit
  /// How deep values may be nested.
  private static let deepest = 100

  /// The value of a node.
  ///
  /// - Throws: also when the value is larger than about `limit` bytes.
  static func value(of node: Node, limit: Int) throws(LineProblem) -> JSONValue {
    var reader = PayloadNode(left: limit)
    return try reader.value(of: node, depth: 0)
  }

  private mutating func value(of node: Node, depth: Int) throws(LineProblem) -> JSONValue {
    if depth > PayloadNode.deepest {
      throw LineProblem(node, "\"payload\" is nested more than \(PayloadNode.deepest) levels deep")
    }
    try count(1, at: node)
    switch node {
    case .scalar(let scalar):
      try count(scalar.string.utf8.count, at: node)
      return try value(of: scalar, at: node)
    case .sequence(let sequence):
      var values: [JSONValue] = []
      for element in sequence { values.append(try value(of: element, depth: depth + 1)) }
      return .array(values)
    case .mapping(let mapping):
      var values: [String: JSONValue] = [:]
      for (key, element) in mapping {
        guard let name = key.scalar?.string else { throw LineProblem(key, "\"payload\" has a key that is no text") }
        if let name = key.duplicateOf { throw LineProblem(key, "\"payload\" has the key \(Shown.text(name)) twice") }
        try count(name.utf8.count, at: key)
        values[name] = try value(of: element, depth: depth + 1)
      }
      return .object(values)
    case .alias: throw LineProblem(node, "\"payload\" has an alias that leads nowhere")
    }
  }

  private mutating func count(_ bytes: Int, at node: Node) throws(LineProblem) {
    left -= bytes
    if left < 0 { throw LineProblem(node, "\"payload\" is larger than a job's may be") }
  }

  private func value(of scalar: Node.Scalar, at node: Node) throws(LineProblem) -> JSONValue {
    let text = scalar.string
    guard scalar.style == .plain, node.tag != Tag(.str) else { return .string(text) }
    switch text {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE": return .bool(true)
    case "false", "False", "FALSE": return .bool(false)
    default: break
    }
    guard PayloadNode.isNumber(text) else { return .string(text) }
    if let number = Int64(text) { return .int(number) }
    guard let number = Double(text) else { return .string(text) }
    guard number.isFinite else {
      throw LineProblem(node, "\"payload\" has a number that is too large: \(text.prefix(BadValue.shownCharacters))")
    }
    return .double(number)
  }

  /// Whether a text has only digits, signs, a point and an exponent; `nan` is a text, though `Double` reads it.
  private static func isNumber(_ text: String) -> Bool {
    guard text.utf8.contains(where: { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return false }
    return text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
  }
}
