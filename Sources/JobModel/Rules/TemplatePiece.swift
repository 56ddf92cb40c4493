/// A piece of a template: JSON as it is written, or the place of a reference.
enum TemplatePiece: Hashable, Sendable {
  case written([UInt8])
  /// In the place of a value.
  case value(Slot)
  /// Within a text.
  case text(Slot)

  /// A reference, and what happens when it leads to nothing.
  struct Slot: Hashable, Sendable {
    var reference: RuleReference
    /// `${message?}`: what is not there is null, and within a text nothing.
    var isOptional: Bool
  }

  var slot: Slot? {
    switch self {
    case .written: nil
    case .value(let slot), .text(let slot): slot
    }
  }
}

extension TemplatePiece {
  /// How much of a mistake is shown.
  fileprivate static let shownCharacters = 40

  /// The pieces of a JSON value: references stand in its texts.
  static func pieces(of json: JSONText) throws(RuleTemplate.Problem) -> [TemplatePiece] {
    var texts: [Range<Int>] = []
    // It was read before.
    guard var scanner = try? JSONScanner(json.bytes), (try? scanner.skip { texts.append($0) }) != nil else { return [] }
    var (pieces, end) = ([TemplatePiece](), 0)
    for range in texts {
      guard let text = JSONText.text(of: json.bytes[range]) else { continue }
      let parts = try parts(of: Array(text.utf8))
      if parts == [.written(Array(text.utf8))] { continue }
      pieces.append(.written(Array(json.bytes[end..<range.lowerBound])))
      pieces += quoted(parts)
      end = range.upperBound
    }
    return pieces + [.written(Array(json.bytes[end...]))]
  }

  /// A text that is one reference becomes the value itself.
  private static func quoted(_ parts: [TemplatePiece]) -> [TemplatePiece] {
    if parts.count == 1, case .text(let slot) = parts[0] { return [.value(slot)] }
    let quote = TemplatePiece.written([UInt8(ascii: "\"")])
    return [quote]
      + parts.map { part in
        guard case .written(let plain) = part else { return part }
        return .written(Array(JSONText.quoted(plain).dropFirst().dropLast()))
      } + [quote]
  }

  /// The parts of one text: plain ones without quotes and escapes, and references.
  private static func parts(of text: [UInt8]) throws(RuleTemplate.Problem) -> [TemplatePiece] {
    let (begin, escaped, end) = (Array("${".utf8), Array("$${".utf8), UInt8(ascii: "}"))
    var (parts, plain, rest) = ([TemplatePiece](), [UInt8](), text[...])
    while let byte = rest.first {
      if rest.starts(with: escaped) {
        plain += begin
        rest = rest.dropFirst(escaped.count)
      } else if rest.starts(with: begin) {
        guard let close = rest.firstIndex(of: end) else {
          let shown = String(decoding: rest, as: UTF8.self).prefix(shownCharacters)
          throw RuleTemplate.Problem(description: "\"\(shown)\" does not end with }; write $${ for ${")
        }
        if !plain.isEmpty { parts.append(.written(plain)) }
        parts.append(.text(try Slot(String(decoding: rest[..<close].dropFirst(begin.count), as: UTF8.self))))
        (plain, rest) = ([], rest[(close + 1)...])
      } else {
        plain.append(byte)
        rest = rest.dropFirst()
      }
    }
    return plain.isEmpty && !parts.isEmpty ? parts : parts + [.written(plain)]
  }
}

extension TemplatePiece.Slot {
  /// The reference that is written so, without `${` and `}`.
  fileprivate init(_ name: String) throws(RuleTemplate.Problem) {
    let isOptional = name.utf8.last == UInt8(ascii: "?")
    guard let reference = RuleReference(isOptional ? String(decoding: name.utf8.dropLast(), as: UTF8.self) : name)
    else {
      let shown = name.prefix(TemplatePiece.shownCharacters)
      throw RuleTemplate.Problem(description: "there is no ${\(shown)}; there are \(RuleReference.known)")
    }
    self.init(reference: reference, isOptional: isOptional)
  }
}
