/// A customer's visit at the counter: the payload of deposits and loans.
struct Visit: Codable, Sendable {
  /// The customer's number, from 1.
  var customer: Int
  /// How long the teller is busy with the visit.
  var milliseconds: Int

  /// The work; a real bank would do something here.
  func takeTime() async throws { try await takeTime(of: 1) }

  /// One of so many parts of the work, which are equally long.
  func takeTime(of parts: Int) async throws {
    try await Task.sleep(for: .milliseconds(milliseconds) / parts)
  }
}

/// The result of deposits and loans.
struct Receipt: Codable, Sendable {
  var customer: Int
  /// The attempt that succeeded.
  var attempt: Int
}
