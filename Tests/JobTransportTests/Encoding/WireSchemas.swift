import Foundation
import JobModel
import TestSupport

/// The published JSON Schemas, and a check of values against them.
///
/// Of JSON Schema (draft 7) it knows what Teller's own schemas need: `type`, `required`, `properties`,
/// `additionalProperties`, `items`, `minItems`, `maxItems`, `uniqueItems`, `minimum`, `maximum`, `enum`, and `$ref` to
/// another file; `oneOf`, `anyOf` and `not` where they say which members go together. Other words, such as `pattern`
/// and `format`, are not checked. In one thing it is stricter: a member that the schema
/// does not name is a problem even where the schema allows it, since everything that is sent is to be documented.
struct WireSchemas {
  /// By name, without the file's ending.
  let schemas: [String: JSONValue]
  /// The places of members that some value had, as `members` names them.
  private(set) var seen: Set<String> = []

  static let folder = PackageFolder.url.appending(path: "Deploy/wire")

  init() throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: Self.folder.appending(path: "schemas"), includingPropertiesForKeys: nil)
    let decoded = try files.map { file in
      (
        file.deletingPathExtension().lastPathComponent,
        try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: file))
      )
    }
    schemas = Dictionary(uniqueKeysWithValues: decoded)
  }

  /// Every member that the schemas name, as in `job#/attempts_made/worker`.
  var members: Set<String> {
    Set(schemas.flatMap { name, schema in Self.members(of: schema, at: "\(name)#") })
  }

  /// - Returns: what is wrong with a value, with its place; empty when nothing is.
  mutating func problems(of value: JSONValue, _ name: String) -> [String] {
    guard let schema = schemas[name] else { return ["there is no schema \(name)"] }
    return check(value, schema, at: "\(name)#")
  }

  private static func members(of schema: JSONValue, at place: String) -> [String] {
    let own = schema["properties"]?.object ?? [:]
    let inner = own.flatMap { name, member in ["\(place)/\(name)"] + members(of: member, at: "\(place)/\(name)") }
    return inner + (schema["items"].map { members(of: $0, at: place) } ?? [])
  }

  private mutating func check(_ value: JSONValue, _ schema: JSONValue, at place: String) -> [String] {
    if case .string(let file)? = schema["$ref"] {
      let name = String(file.prefix { $0 != "." })
      return problems(of: value, name).map { "\(place): \($0)" }
    }
    if case .string(let type)? = schema["type"], !value.isOf(type) { return ["\(place) is no \(type): \(value)"] }
    if case .array(let choices)? = schema["enum"], !choices.contains(value) { return ["\(place) is \(value)"] }
    if !Self.isAllowed(value, schema) { return ["\(place) has members that exclude each other, or too few"] }
    switch value {
    case .object(let members): return check(members, schema, at: place)
    case .array(let values): return check(values, schema, at: place)
    case .int(let number):
      let range = (schema["minimum"]?.int ?? .min)...(schema["maximum"]?.int ?? .max)
      return range.contains(number) ? [] : ["\(place) is \(number)"]
    default: return []
    }
  }

  /// Whether a value passes the choices of a schema: `oneOf`, `anyOf` and `not`.
  private static func isAllowed(_ value: JSONValue, _ schema: JSONValue) -> Bool {
    if let choices = schema["oneOf"]?.array, choices.count(where: { matches(value, $0) }) != 1 { return false }
    if let choices = schema["anyOf"]?.array, !choices.contains(where: { matches(value, $0) }) { return false }
    return schema["not"].map { !matches(value, $0) } ?? true
  }

  /// Whether a value matches one choice: the members that it requires, with the values that it allows, and its choices.
  private static func matches(_ value: JSONValue, _ choice: JSONValue) -> Bool {
    let required = (choice["required"]?.array ?? []).compactMap(\.string)
    guard required.allSatisfy({ value[$0] != nil }) else { return false }
    let allowed = choice["properties"]?.object ?? [:]
    let isInRange = allowed.allSatisfy { name, member in
      guard let found = value[name], let values = member["enum"]?.array else { return true }
      return values.contains(found)
    }
    return isInRange && isAllowed(value, choice)
  }

  private mutating func check(
    _ members: [String: JSONValue], _ schema: JSONValue, at place: String
  ) -> [String] {
    // Without a type it may be anything.
    guard schema["type"] != nil else { return [] }
    let required = (schema["required"]?.array ?? []).compactMap(\.string)
    var problems = required.filter { members[$0] == nil }.map { "\(place)/\($0) is missing" }
    for (name, value) in members {
      if let known = schema["properties"]?[name] {
        seen.insert("\(place)/\(name)")
        problems += check(value, known, at: "\(place)/\(name)")
      } else if let other = schema["additionalProperties"], other.object != nil {
        problems += check(value, other, at: "\(place)/*")
      } else {
        problems.append("\(place)/\(name) is not documented")
      }
    }
    return problems
  }

  private mutating func check(_ values: [JSONValue], _ schema: JSONValue, at place: String) -> [String] {
    let range = (schema["minItems"]?.int ?? 0)...(schema["maxItems"]?.int ?? .max)
    var problems = range.contains(Int64(values.count)) ? [] : ["\(place) has \(values.count) elements"]
    if schema["uniqueItems"] == .bool(true), values.indices.contains(where: { values[..<$0].contains(values[$0]) }) {
      problems.append("\(place) names one twice")
    }
    guard let items = schema["items"] else { return problems }
    for value in values { problems += check(value, items, at: place) }
    return problems
  }
}

extension JSONValue {
  subscript(name: String) -> JSONValue? { object?[name] }

  var object: [String: JSONValue]? {
    guard case .object(let members) = self else { return nil }
    return members
  }

  var array: [JSONValue]? {
    guard case .array(let values) = self else { return nil }
    return values
  }

  var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  var int: Int64? {
    guard case .int(let number) = self else { return nil }
    return number
  }

  /// Whether it is of that type. Each integer is a number, too.
  func isOf(_ wanted: String) -> Bool { type == wanted || wanted == "number" && type == "integer" }

  /// As JSON Schema names it.
  var type: String {
    switch self {
    case .null: "null"
    case .bool: "boolean"
    case .int: "integer"
    case .double: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }
}
