import Teller

struct Price: Codable, Sendable { var cents: Int }

/// Somebody who numbers changes, keeps the last ones, and knows the present state.
protocol PriceBook: Sendable {
  func whole() async throws -> OrderedState<Int, Price>.Whole
  func changes(_ numbers: ClosedRange<Int64>) async throws -> [OrderedUpdate<Price>]
}

func show(_ updates: some AsyncSequence<OrderedUpdate<Price>, any Error>, of book: some PriceBook) async throws {
  let price = OrderedState(try await book.whole()) { cents, change in
    cents = change.cents
  } fetch: { numbers in
    try await book.changes(numbers)
  } read: {
    try await book.whole()
  }
  for try await update in updates {
    for taken in try await price.receive(update) {
      switch taken {
      case .apply(let update): print("now", update.change.cents)
      case .refuse(let update, let present): print("made from", update.madeFrom ?? present, "and not from", present)
      }
    }
  }
}
