import Foundation
import JobModel

/// The rules of a plan as the ledger keeps them: JSON.
extension PlanRules: Cell {
  var stored: String { StoredJSON.text(of: self) }
  init(stored: String) throws { self = try StoredJSON.value(of: stored, "rules of a plan that are none") }
}

/// A value with texts and whole numbers alone, as JSON in one column.
enum StoredJSON {
  static func text(of value: some Encodable) -> String {
    // Texts and whole numbers always have a form in JSON.
    let encoder = JSONEncoder()
    // What is recorded twice is the same text.
    encoder.outputFormatting = .sortedKeys
    guard let json = try? encoder.encode(value) else { return "" }
    return String(decoding: json, as: UTF8.self)
  }

  /// `problem`: what is in the ledger instead of the value.
  static func value<Value: Decodable>(of stored: String, _ problem: String) throws -> Value {
    try known(try? JSONDecoder().decode(Value.self, from: Data(stored.utf8)), problem)
  }
}
