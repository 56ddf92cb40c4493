import Foundation
import JobModel

/// What stands behind the `?` of an address. Each parameter is read by its name; one that nobody has read is refused: a
/// misspelt filter that is passed over would give the answer to another question.
struct Query {
  private(set) var values: [String: [String]] = [:]
  private var unread: Set<String> = []

  /// Reads `a=1&b=2&a=3`, with `%20` or `+` for a space.
  init(_ text: String, limit: Int = PageLimits().parameters) throws(PageProblem) {
    for part in text.split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let (name, value) = (Query.decoded(pair[0]), Query.decoded(pair.count == 2 ? pair[1] : ""))
      guard let name, let value else { throw .malformed }
      values[name, default: []].append(value)
    }
    let count = values.values.reduce(0) { $0 + $1.count }
    if count > limit { throw .invalid("an address has at most \(limit) parameters") }
    unread = Set(values.keys)
  }

  private static func decoded(_ text: Substring) -> String? {
    text.replacing("+", with: " ").removingPercentEncoding
  }

  /// All values of a parameter.
  mutating func all(_ name: String) -> [String] {
    unread.remove(name)
    return (values[name] ?? []).filter { !$0.isEmpty }
  }

  /// The value of a parameter; nil: it has none.
  mutating func text(_ name: String) throws(PageProblem) -> String? {
    let values = all(name)
    if values.count > 1 { throw .invalid("\"\(name)\" stands there more than once") }
    return values.first
  }

  /// The same, read by `read`; `form` says in words what it must be.
  mutating func value<Value>(_ name: String, _ form: String, _ read: (String) -> Value?) throws(PageProblem) -> Value? {
    guard let text = try text(name) else { return nil }
    guard let value = read(text) else { throw .invalid("\"\(name)\" is \(form)") }
    return value
  }

  /// A value without which there is no answer.
  mutating func needed<Value>(_ name: String, _ form: String, _ read: (String) -> Value?) throws(PageProblem) -> Value {
    guard let value = try value(name, form, read) else { throw .invalid("\"\(name)\" is missing: it is \(form)") }
    return value
  }

  /// Refuses parameters that nobody has read.
  func end() throws(PageProblem) {
    guard let name = unread.sorted().first else { return }
    throw .invalid("there is no parameter \"\(name.prefix(40))\" at this address")
  }
}

// What parameters are about.
extension Query {
  private static let nameForm = "1–100 letters, digits, - and _"

  mutating func department(_ name: String = "department") throws(PageProblem) -> Department? {
    try value(name, Query.nameForm) { Department($0) }
  }

  mutating func kind() throws(PageProblem) -> JobKind? { try value("kind", Query.nameForm) { JobKind($0) } }

  mutating func number(_ name: String) throws(PageProblem) -> Int64? { try value(name, "a whole number") { Int64($0) } }

  mutating func limit(_ usual: Int) throws(PageProblem) -> Int {
    try value("limit", "a whole number") { Int($0) } ?? usual
  }

  mutating func flag(_ name: String) throws(PageProblem) -> Bool {
    try value(name, "true or false") { ["true": true, "false": false][$0] } ?? false
  }

  /// A moment in milliseconds since 1970.
  mutating func moment(_ name: String) throws(PageProblem) -> Date? {
    try number(name).map { Timestamp(milliseconds: $0).date }
  }

  mutating func job(_ name: String) throws(PageProblem) -> JobID? { try value(name, "a UUID") { JobID($0) } }

  mutating func word<Word: RawRepresentable & CaseIterable>(
    _ name: String, _ type: Word.Type
  ) throws(PageProblem) -> Word? where Word.RawValue == String {
    try value(name, "one of " + Word.allCases.map(\.rawValue).joined(separator: ", ")) { Word(rawValue: $0) }
  }

  /// The departments of `department=a&department=b`, each once.
  mutating func departments(atMost limit: Int) throws(PageProblem) -> [Department] {
    var departments: Set<Department> = []
    for name in all("department") {
      guard let department = Department(name) else { throw .invalid("\"department\" is \(Query.nameForm)") }
      departments.insert(department)
    }
    if departments.count > limit { throw .invalid("at most \(limit) departments are shown with their jobs") }
    return departments.sorted()
  }
}
