import Foundation

/// A part of a template: a value without references, a reference, a text with some, or a list or an object of parts.
indirect enum TemplatePart: Hashable, Sendable {
  case value(JSONValue)
  case reference(RuleReference)
  case text([Piece])
  case array([TemplatePart])
  case object([String: TemplatePart])

  /// A piece of a text.
  enum Piece: Hashable, Sendable {
    case plain(String)
    case reference(RuleReference)
  }

  /// How much of a mistake is shown.
  private static let shownCharacters = 40

  init(_ value: JSONValue) throws(RuleTemplate.Problem) {
    switch value {
    case .null, .bool, .int, .double: self = .value(value)
    case .string(let text): self = TemplatePart(try TemplatePart.pieces(of: text))
    case .array(let values):
      var parts: [TemplatePart] = []
      for value in values { parts.append(try TemplatePart(value)) }
      self = .array(parts)
    case .object(let members):
      var parts: [String: TemplatePart] = [:]
      for (name, value) in members { parts[name] = try TemplatePart(value) }
      self = .object(parts)
    }
  }

  private init(_ pieces: [Piece]) {
    if pieces.count == 1, case .reference(let reference) = pieces[0] {
      self = .reference(reference)
    } else if pieces.contains(where: { $0.reference != nil }) {
      self = .text(pieces)
    } else {
      self = .value(.string(pieces.map { $0.written { _ in .null } }.joined()))
    }
  }

  private static func pieces(of text: String) throws(RuleTemplate.Problem) -> [Piece] {
    var (pieces, rest) = ([Piece](), text[...])
    while let begin = rest.range(of: "${") {
      let before = rest[..<begin.lowerBound]
      if before.hasSuffix("$") {
        pieces.append(.plain(before.dropLast() + "${"))
        rest = rest[begin.upperBound...]
        continue
      }
      guard let end = rest[begin.upperBound...].firstIndex(of: "}") else {
        let shown = rest[begin.lowerBound...].prefix(shownCharacters)
        throw RuleTemplate.Problem(description: "\"\(shown)\" does not end with }; write $${ for ${")
      }
      if !before.isEmpty { pieces.append(.plain(String(before))) }
      pieces.append(.reference(try reference(rest[begin.upperBound..<end])))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty || pieces.isEmpty { pieces.append(.plain(String(rest))) }
    return pieces
  }

  private static func reference(_ name: Substring) throws(RuleTemplate.Problem) -> RuleReference {
    if let reference = RuleReference(name) { return reference }
    let shown = name.prefix(shownCharacters)
    throw RuleTemplate.Problem(description: "there is no ${\(shown)}; there are \(RuleReference.known)")
  }
}

extension TemplatePart {
  /// The references in it, as often as they stand there.
  var references: [RuleReference] {
    switch self {
    case .value: []
    case .reference(let reference): [reference]
    case .text(let pieces): pieces.compactMap(\.reference)
    case .array(let parts): parts.flatMap(\.references)
    case .object(let parts): parts.values.flatMap(\.references)
    }
  }

  /// The value, with what the references stand for.
  func filled(_ meaning: (RuleReference) -> JSONValue) -> JSONValue {
    switch self {
    case .value(let value): value
    case .reference(let reference): meaning(reference)
    case .text(let pieces): .string(pieces.map { $0.written(meaning) }.joined())
    case .array(let parts): .array(parts.map { $0.filled(meaning) })
    case .object(let parts): .object(parts.mapValues { $0.filled(meaning) })
    }
  }
}

extension TemplatePart.Piece {
  fileprivate var reference: RuleReference? {
    if case .reference(let reference) = self { reference } else { nil }
  }

  fileprivate func written(_ meaning: (RuleReference) -> JSONValue) -> String {
    switch self {
    case .plain(let text): text
    case .reference(let reference): meaning(reference).asText
    }
  }
}
