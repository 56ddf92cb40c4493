import Foundation
import JobModel

/// The rules of a plan as the ledger keeps them: JSON.
extension PlanRules: Cell {
  var stored: String {
    // Rules have texts and whole numbers, which always have a form in JSON.
    let encoder = JSONEncoder()
    // What is recorded twice is the same text.
    encoder.outputFormatting = .sortedKeys
    guard let json = try? encoder.encode(self) else { return "" }
    return String(decoding: json, as: UTF8.self)
  }

  init(stored: String) throws {
    self = try known(
      try? JSONDecoder().decode(PlanRules.self, from: Data(stored.utf8)), "rules of a plan that are none")
  }
}
