import JobModel
import JobTransport
import Yams

/// Writes YAML as JSON, within a limit: by aliases a small file may hold a huge value.
///
/// A word without quotes is as in YAML 1.2: `null`, `~`, `true`, `false`, a number; else a text, also `no`, `12:30` and
/// `2026-01-02`. A number stays as it is written. What one version of YAML takes for a number and JSON does not have
/// (``YAMLNumber``) is refused: quotes make a text of it.
struct PayloadNode {
  /// The JSON so far.
  private var json: [UInt8] = []
  private let limit: Int
  /// The largest payload, in bytes: that of a job.
  static let largest = SubmissionCodec.defaultBodyLimit

  private init(limit: Int) { self.limit = limit }

  /// The value of a node.
  ///
  /// - Throws: also when the value is larger than `limit` bytes, or lies deeper than JSON may.
  static func value(of node: Node, limit: Int) throws(LineProblem) -> JSONText {
    var writer = PayloadNode(limit: limit)
    try writer.write(node, depth: 0)
    do throws(Unreadable) {
      return try JSONText(writer.json)
    } catch {
      throw LineProblem(node, "\"payload\" is \(error)")
    }
  }

  private mutating func write(_ node: Node, depth: Int) throws(LineProblem) {
    if depth > JSONScanner.deepest {
      throw LineProblem(node, "\"payload\" is nested more than \(JSONScanner.deepest) levels deep")
    }
    try node.checkTag()
    switch node {
    case .scalar(let scalar): try add(try PayloadNode.json(of: scalar, at: node), at: node)
    case .sequence(let sequence):
      try list("[", sequence, "]", at: node) { element, writer throws(LineProblem) in
        try writer.write(element, depth: depth + 1)
      }
    case .mapping(let mapping):
      var names: Set<ExactText> = []
      try list("{", mapping, "}", at: node) { pair, writer throws(LineProblem) in
        let name = try PayloadNode.name(pair.key)
        guard names.insert(ExactText(name)).inserted else {
          throw LineProblem(pair.key, "\"payload\" has the key \(Shown.text(name)) twice")
        }
        try writer.add(JSONText.quoted(name.utf8) + [UInt8(ascii: ":")], at: pair.key)
        try writer.write(pair.value, depth: depth + 1)
      }
    case .alias: throw LineProblem(node, "\"payload\" has an alias that leads nowhere")
    }
  }

  private mutating func list<Elements: Sequence>(
    _ opening: Unicode.Scalar, _ elements: Elements, _ closing: Unicode.Scalar, at node: Node,
    _ write: (Elements.Element, inout PayloadNode) throws(LineProblem) -> Void
  ) throws(LineProblem) {
    try add([UInt8(ascii: opening)], at: node)
    var isFirst = true
    for element in elements {
      if !isFirst { try add([UInt8(ascii: ",")], at: node) }
      isFirst = false
      try write(element, &self)
    }
    try add([UInt8(ascii: closing)], at: node)
  }

  private mutating func add(_ bytes: [UInt8], at node: Node) throws(LineProblem) {
    json += bytes
    if json.count > limit { throw LineProblem(node, "\"payload\" is larger than a job's may be") }
  }

  private static func name(_ key: Node) throws(LineProblem) -> String {
    guard let scalar = key.scalar else { throw LineProblem(key, "\"payload\" has a key that is no text") }
    if scalar.style == .plain, scalar.string == "<<" {
      throw LineProblem(key, "\"payload\" has the key <<, by which some versions of YAML merge: write the members out")
    }
    return key.duplicateOf ?? scalar.string
  }

  private static func json(of scalar: Node.Scalar, at node: Node) throws(LineProblem) -> [UInt8] {
    let text = scalar.string
    guard scalar.style == .plain, scalar.tag.name != .str else { return JSONText.quoted(text.utf8) }
    switch text {
    case "", "~", "null", "Null", "NULL": return JSONText.null.bytes
    case "true", "True", "TRUE": return Array("true".utf8)
    case "false", "False", "FALSE": return Array("false".utf8)
    case _ where YAMLNumber.isJSON(text): return Array(text.utf8)
    case _ where YAMLNumber.isAmbiguous(text):
      throw LineProblem(
        node, "\"payload\": \(Shown.text(text)) is no number of JSON, such as 10 or 0.5: put it in quotes for a text")
    default: return JSONText.quoted(text.utf8)
    }
  }
}

extension Tag {
  fileprivate var name: Tag.Name { Tag.Name(rawValue: rawValue) }
}

extension Node {
  /// A tag that is not carried to JSON would be lost in silence.
  fileprivate func checkTag() throws(LineProblem) {
    let (tag, known): (Tag, [Tag.Name]) =
      switch self {
      case .scalar(let scalar): (scalar.tag, scalar.style == .plain ? [.str, .int, .float, .bool, .null] : [.str])
      case .sequence(let sequence): (sequence.tag, [.seq])
      case .mapping(let mapping): (mapping.tag, [.map])
      case .alias: (.implicit, [])
      }
    if ([.implicit, .nonSpecific] + known).contains(tag.name) { return }
    throw LineProblem(
      self, "\"payload\" has a value with the tag \(Shown.text(tag.rawValue)), which JSON does not know")
  }
}

/// The numbers of YAML.
enum YAMLNumber {
  /// Whether a word is a number in JSON: it is carried as it is written.
  static func isJSON(_ word: String) -> Bool {
    guard let first = word.utf8.first, first == UInt8(ascii: "-") || first.isDigit else { return false }
    return (try? JSONText(Array(word.utf8))) != nil
  }

  /// Whether a word is a number in YAML 1.1 or 1.2, but perhaps not the same one in both: `0x1F`, `0o17`, `017`, `1_000`,
  /// `+1`, `.5`, `5.`, `.inf`. A number with colons, base 60 in YAML 1.1, is taken for the time of day that it looks like.
  ///
  /// Without a regular expression: a payload may have a great many words.
  static func isAmbiguous(_ word: String) -> Bool {
    var rest = word.utf8[...]
    if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    return names.contains(Substring(rest)) || isOfBase(rest) || isDecimal(rest)
  }

  private static let names: Set<Substring> = [".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"]

  private static func isOfBase(_ word: Substring.UTF8View) -> Bool {
    let (digits, isDigit): (Substring.UTF8View, (UInt8) -> Bool) =
      switch String(Substring(word.prefix(2))) {
      case "0x", "0X": (word.dropFirst(2), isHexDigit)
      case "0o", "0O": (word.dropFirst(2), { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) })
      case "0b": (word.dropFirst(2), { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "1") })
      default: (word.prefix(0), { _ in false })
      }
    return !digits.isEmpty && digits.allSatisfy { isDigit($0) || $0 == UInt8(ascii: "_") }
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  /// Digits and underscores with at most one point, which begin with a digit, if need be behind the point; then an
  /// exponent, perhaps.
  private static func isDecimal(_ word: Substring.UTF8View) -> Bool {
    let mantissa = word.prefix { $0.isDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".") }
    let point = UInt8(ascii: ".")
    let begins = mantissa.first == point ? mantissa.dropFirst() : mantissa
    guard begins.first?.isDigit == true, mantissa.count(where: { $0 == point }) <= 1 else { return false }
    var exponent = word.dropFirst(mantissa.count)
    if exponent.isEmpty { return true }
    guard let letter = exponent.popFirst(), letter | 0x20 == UInt8(ascii: "e") else { return false }
    if exponent.first == UInt8(ascii: "-") || exponent.first == UInt8(ascii: "+") { exponent = exponent.dropFirst() }
    return !exponent.isEmpty && exponent.allSatisfy(\.isDigit)
  }
}
