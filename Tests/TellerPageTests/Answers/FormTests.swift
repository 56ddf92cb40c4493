import Foundation
import JobModel
import Synchronization
import Teller
import TestSupport
import Testing

@testable import TellerPage

@Suite("Forms", .timeLimit(.minutes(10)))
struct FormTests {
  private let now = ContinuousClock.now

  /// The answer of a new form is the second at which it was sent.
  private func take(_ book: inout FormBook<Int>, _ form: UUID, _ content: UInt8 = 1, at seconds: Int = 0) -> String {
    var begun = false
    let step = book.take(form, content: [content], now: now + .seconds(seconds)) {
      begun = true
      return seconds
    }
    switch step {
    case .begin(let answer): return "begin \(answer)"
    case .same(let answer):
      #expect(!begun)
      return "same \(answer)"
    case .other: return "other"
    }
  }

  @Test("a form that is sent again gets the first answer, unless it says something else")
  func again() {
    var book = FormBook<Int>(limit: 10, life: .seconds(60))
    let (form, other) = (UUID(), UUID())
    #expect(take(&book, form) == "begin 0")
    #expect(take(&book, other, at: 1) == "begin 1")
    #expect(take(&book, form, at: 59) == "same 0")
    #expect(take(&book, form, 2) == "other")
    book.forget(form)
    #expect(take(&book, form, at: 2) == "begin 2")
  }

  @Test("forms are kept for their time, and never more than there may be")
  func bounded() {
    var book = FormBook<Int>(limit: 3, life: .seconds(60))
    let forms = (0..<10).map { _ in UUID() }
    for (second, form) in forms.enumerated() { _ = take(&book, form, at: second) }
    #expect(book.count == 3)
    for second in 7...9 { #expect(take(&book, forms[second], at: 9) == "same \(second)") }
    #expect(take(&book, forms[9], at: 69) == "begin 69")
    #expect(book.count == 1)
  }

  @Test("a form that is sent thrice at once is carried out once")
  func atOnce() async throws {
    let forms = Forms(PageLimits())
    let (form, times) = (UUID(), SharedCount())
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let answers = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<3 {
        group.addTask {
          try await forms.answer(form, content: [1]) {
            times.add()
            for await _ in gate {}
            return [UInt8(times.count)]
          }
        }
      }
      opening.finish()
      return try await group.reduce(into: [[UInt8]]()) { $0.append($1) }
    }
    #expect(answers == [[1], [1], [1]])
  }

  @Test("one that had no answer is carried out again; a refusal stays one")
  func failed() async throws {
    let forms = Forms(PageLimits())
    let (lost, refused) = (UUID(), UUID())
    func answer(_ form: UUID, _ work: @escaping @Sendable () throws -> [UInt8]) async throws -> [UInt8] {
      try await forms.answer(form, content: [1]) { try work() }
    }
    await #expect(throws: TellerError.self) { try await answer(lost) { throw TellerError.noCoordinatorEver } }
    #expect(try await answer(lost) { [7] } == [7])
    let refusal = TellerError.refused(JobFailure(code: "no_worker", message: "x"))
    await #expect(throws: refusal) { try await answer(refused) { throw refusal } }
    await #expect(throws: refusal) { try await answer(refused) { [7] } }
  }

  @Test("too many under way are refused, and may be sent again")
  func tooMany() async throws {
    var limits = PageLimits()
    limits.actionsAtOnce = 1
    let (forms, second) = (Forms(limits), UUID())
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
    let first = Task {
      try await forms.answer(UUID(), content: [1]) {
        beginning.finish()
        for await _ in gate {}
        return []
      }
    }
    try await limited("the first one") { for await _ in begun {} }
    let problem = await #expect(throws: PageProblem.self) { try await forms.answer(second, content: [1]) { [] } }
    #expect(problem?.status == 429)
    opening.finish()
    _ = try await first.value
    #expect(try await forms.answer(second, content: [1]) { [2] } == [2])
  }

  @Test("the body of an action has a form, and no member that the action does not know")
  func body() throws {
    func body(_ text: String) throws -> FormBody { try JSONDecoder().decode(FormBody.self, from: Data(text.utf8)) }
    let id = UUID()
    let form = try body(#"{"form":"\#(id.uuidString.lowercased())","department":"x","all":true}"#)
    #expect(form.id == id)
    try form.check(["department", "all"])
    #expect(throws: PageProblem.invalid("this action has no \"all\"")) { try form.check(["department"]) }
    for wrong in ["{}", #"{"form":7}"#, #"{"form":"x"}"#, "[]", ""] {
      #expect(throws: (any Error).self, "\(wrong)") { try body(wrong) }
    }
  }

  @Test("the ids that follow from a form are the same each time, and others for another purpose")
  func ids() {
    let form = UUID()
    let action = PageAction(person: PageServer.local, form: form, content: Data())
    #expect(action.id("a") == JobID(form: form, as: "a"))
    #expect(Set([action.id("a"), action.id("b"), JobID(form: UUID(), as: "a"), JobID(form)]).count == 4)
  }
}
