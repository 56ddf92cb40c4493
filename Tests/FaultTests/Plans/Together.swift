/// Does the same with several things beside each other, with at most so many at once. The results are in the order of the
/// things.
func together<Thing: Sendable, Result: Sendable>(
  _ things: [Thing], atMost width: Int, _ body: @escaping @Sendable (Thing) async throws -> Result
) async throws -> [Result] {
  try await withThrowingTaskGroup(of: (Int, Result).self) { group in
    var rest = Array(things.enumerated())[...]
    var results: [Int: Result] = [:]
    func begin() {
      guard let (number, thing) = rest.popFirst() else { return }
      group.addTask { (number, try await body(thing)) }
    }
    for _ in 0..<width { begin() }
    while let (number, result) = try await group.next() {
      results[number] = result
      begin()
    }
    return things.indices.compactMap { results[$0] }
  }
}
