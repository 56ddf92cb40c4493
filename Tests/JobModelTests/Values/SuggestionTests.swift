import TestSupport
import Testing

@testable import JobModel

@Suite("Suggestions")
struct SuggestionTests {
  static let keys = ["broker", "ledger", "lease", "departments", "kinds", "schedules", "window", "ordered", "cap"]

  @Test(
    "a slip of the keys is understood",
    arguments: [
      ("windwo", "window"), ("legder", "ledger"), ("broke", "broker"), ("order", "ordered"), ("LEASE", "lease"),
      ("deprtmnets", "departments"), ("schedule", "schedules"), ("cpa", "cap"), ("department", "departments"),
    ])
  func near(text: String, meant: String) {
    #expect(Suggestion.nearest(to: text, in: Self.keys) == meant)
  }

  @Test("what is like nothing gets no suggestion", arguments: ["", "x", "1", "max", "password", "zzzzzz", "ü"])
  func far(text: String) {
    #expect(Suggestion.nearest(to: text, in: Self.keys) == nil)
  }

  @Test("of two that are equally near neither is suggested, of two that are not the nearer one")
  func unique() {
    #expect(Suggestion.nearest(to: "loax", in: ["loan", "load"]) == nil)
    #expect(Suggestion.nearest(to: "loan2", in: ["loan", "load"]) == "loan")
    #expect(Suggestion.nearest(to: "loax", in: ["loan", "loan"]) == "loan")
  }

  @Test("a text without end is not looked at")
  func long() {
    let name = String(repeating: "a", count: 101)
    #expect(Suggestion.nearest(to: name, in: [name]) == nil)
  }

  @Test("a letter added, left out, changed or swapped is one slip")
  func slips() {
    var random = SeededRandom(for: "slips of the keys")
    for _ in 0..<500 {
      let name = (0..<Int.random(in: 4...12, using: &random)).map { _ in "abcdef".randomElement(using: &random) ?? "a" }
      var typed = name
      let place = Int.random(in: 0..<name.count - 1, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: typed.insert("x", at: place)
      case 1: typed.remove(at: place)
      case 2: typed[place] = "x"
      default: typed.swapAt(place, place + 1)
      }
      #expect(Suggestion.slips(from: typed, to: name) == (typed == name ? 0 : 1), "\(String(typed)) \(String(name))")
    }
  }
}
