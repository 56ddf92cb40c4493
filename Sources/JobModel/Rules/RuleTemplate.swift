/// A JSON value with references to a notification, such as `{"text": "login failed: ${message}", "attempt": "${attempt}"}`.
///
/// A text that is one reference and nothing else becomes the value itself, as it is written: `1.10` stays `1.10`. Within a
/// longer text a text stands as it is, and any other value as JSON. `$${` stands for `${`. References are looked for in
/// values, not in the names of members.
///
/// What a reference names must be there: else the rule makes no job, and `rule_failed` says so. `${message?}` may be missing:
/// it is null then, and nothing within a longer text.
public struct RuleTemplate: Hashable, Sendable {
  private let pieces: [TemplatePiece]

  /// What is wrong with a template.
  public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// For people.
    public let description: String
  }

  /// A reference that leads to nothing.
  package struct Unresolved: Error, Hashable, Sendable {
    package let reference: RuleReference
  }

  /// A template of a JSON value.
  ///
  /// - Throws: ``Problem`` for a reference that there is not, or that does not end.
  package init(_ value: JSONText) throws(Problem) { pieces = try TemplatePiece.pieces(of: value) }

  /// A template of a JSON text.
  ///
  /// - Throws: ``Problem``, also when the text is no JSON.
  public init(json: String) throws(Problem) {
    let value: JSONText
    do throws(Unreadable) {
      value = try JSONText(Array(json.utf8))
    } catch {
      throw Problem(description: "it is no JSON (\(error)): a text stands in quotes")
    }
    try self.init(value)
  }

  /// The references in it, as often as they stand there.
  package var references: [RuleReference] { pieces.compactMap(\.slot?.reference) }
  /// The text, when nothing of it depends on the notification.
  package var constantText: String? {
    guard references.isEmpty else { return nil }
    return try? filledText { _ in nil }
  }

  /// The value, with what the references stand for.
  ///
  /// - Parameter meaning: What a reference stands for; nil: it leads to nothing.
  /// - Returns: JSON.
  /// - Throws: ``Unresolved``, and what `meaning` throws.
  package func filled(_ meaning: (RuleReference) throws -> JSONText?) throws -> [UInt8] {
    try pieces.reduce(into: [UInt8]()) { json, piece in
      switch piece {
      case .written(let bytes): json += bytes
      case .value(let slot): json += (try slot.filled(meaning) ?? .null).bytes
      case .text(let slot): json += try slot.filled(meaning)?.inText ?? []
      }
    }
  }

  /// The same as a text; any other value than a text as JSON, and a reference alone that may be missing as nothing.
  package func filledText(_ meaning: (RuleReference) throws -> JSONText?) throws -> String {
    if case .value(let slot)? = pieces.first(where: { $0 != .written([]) }), try slot.filled(meaning) == nil {
      return ""
    }
    let json = try filled(meaning)
    return JSONText.text(of: json[...]) ?? String(decoding: json, as: UTF8.self)
  }
}

extension TemplatePiece.Slot {
  fileprivate func filled(_ meaning: (RuleReference) throws -> JSONText?) throws -> JSONText? {
    if let value = try meaning(reference) { return value }
    if isOptional { return nil }
    throw RuleTemplate.Unresolved(reference: reference)
  }
}
