import Foundation

/// A JSON value with references to a notification, such as `{"text": "login failed: ${message}", "attempt": "${attempt}"}`.
///
/// A text that is one reference and nothing else becomes the value itself: a number stays a number, and what is missing is
/// null. Within a longer text the value is written as text: what is missing as nothing, and an object as JSON. `$${` stands for
/// `${`. References are looked for in values, not in the names of members.
public struct RuleTemplate: Hashable, Sendable {
  private let root: TemplatePart

  /// What is wrong with a template.
  public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// For people.
    public let description: String
  }

  /// A template of a JSON value.
  ///
  /// - Throws: ``Problem`` for a reference that there is not, or that does not end.
  public init(_ value: JSONValue) throws(Problem) { root = try TemplatePart(value) }

  /// A template of a JSON text.
  ///
  /// - Throws: ``Problem``, also when the text is no JSON.
  public init(json: String) throws(Problem) {
    guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(json.utf8)) else {
      throw Problem(description: "it is no JSON: a text stands in quotes")
    }
    try self.init(value)
  }

  /// The references in it, as often as they stand there.
  package var references: [RuleReference] { root.references }
  /// The text, when nothing of it depends on the notification.
  package var constantText: String? { if case .value(.string(let text)) = root { text } else { nil } }

  /// The value, with what the references stand for.
  package func filled(_ meaning: (RuleReference) -> JSONValue) -> JSONValue { root.filled(meaning) }
  /// The same as a text.
  package func filledText(_ meaning: (RuleReference) -> JSONValue) -> String { root.filled(meaning).asText }
}
