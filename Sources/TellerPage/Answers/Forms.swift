import DequeModule
import Foundation
import JobModel

/// The forms that were sent, and their answers: a form that is sent again gets the first answer again, also while that one
/// is still awaited. A pure value.
struct FormBook<Answer: Sendable> {
  private struct Entry {
    let content: [UInt8]
    let at: ContinuousClock.Instant
    let answer: Answer
  }

  let limit: Int
  let life: Duration
  private var entries: [UUID: Entry] = [:]
  /// The oldest first; also those that were forgotten.
  private var order: Deque<(form: UUID, at: ContinuousClock.Instant)> = []

  init(limit: Int, life: Duration) { (self.limit, self.life) = (limit, life) }

  var count: Int { entries.count }

  /// What to do about a form.
  enum Step {
    /// It is new: this is its answer now.
    case begin(Answer)
    /// It was sent before.
    case same(Answer)
    /// It was sent before with another content.
    case other
  }

  /// Takes in a form. When there are too many, the oldest ones are forgotten. `content`: a digest of who sends it, of what it
  /// is about, and of what it says. `begin`: makes the answer of a new form.
  mutating func take(
    _ form: UUID, content: [UInt8], now: ContinuousClock.Instant, begin: () -> Answer
  ) -> Step {
    while let oldest = order.first, oldest.at + life <= now { forget(oldest) }
    if let entry = entries[form] { return entry.content == content ? .same(entry.answer) : .other }
    while let oldest = order.first, order.count >= limit { forget(oldest) }
    let answer = begin()
    entries[form] = Entry(content: content, at: now, answer: answer)
    order.append((form, now))
    return .begin(answer)
  }

  /// Forgets a form that had no answer: it may be sent again, and is carried out then.
  mutating func forget(_ form: UUID) { entries[form] = nil }

  /// The same form may have been sent again since.
  private mutating func forget(_ oldest: (form: UUID, at: ContinuousClock.Instant)) {
    order.removeFirst()
    if entries[oldest.form]?.at == oldest.at { entries[oldest.form] = nil }
  }
}

/// Carries out each form once.
actor Forms {
  private typealias Work = Task<[UInt8], any Error>

  private var book: FormBook<Task<[UInt8], any Error>>
  private var underWay = 0
  private let limitAtOnce: Int

  init(_ limits: PageLimits) {
    book = FormBook(limit: limits.forms, life: limits.formLife)
    limitAtOnce = limits.actionsAtOnce
  }

  /// Carries out a form, or gives the answer of the first time. The work goes on when nobody waits for it any more.
  ///
  /// - Throws: the error of the work; `PageProblem` when the form was sent before with another content, or too many forms are
  ///   under way.
  func answer(
    _ form: UUID, content: [UInt8], _ work: @escaping @Sendable () async throws -> [UInt8]
  ) async throws -> [UInt8] {
    let isFull = underWay >= limitAtOnce
    let step = book.take(form, content: content, now: .now) {
      // Counted here: many forms may be taken in before the first of their tasks begins.
      underWay += 1
      return Task { try await begin(form, isFull, work) }
    }
    switch step {
    case .begin(let work), .same(let work): return try await work.value
    case .other:
      throw PageProblem(
        status: 409, code: "invalid", message: "this form was sent before with another content; load the page again")
    }
  }

  private func begin(
    _ form: UUID, _ isFull: Bool, _ work: @Sendable () async throws -> [UInt8]
  ) async throws -> [UInt8] {
    defer { underWay -= 1 }
    if isFull {
      book.forget(form)
      throw PageProblem.tooMany("\(limitAtOnce) changes are under way; wait for some of them", wait: .seconds(1))
    }
    do {
      return try await work()
    } catch {
      // Nobody knows whether it was carried out: by the same id it is done once when it is sent again.
      if PageProblem(error).status >= 500 { book.forget(form) }
      throw error
    }
  }
}
