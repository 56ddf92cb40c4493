/// What a customer brings to the counter: the payload of deposits and loans.
struct Visit: Codable, Sendable {
  /// The customer's number, from 1.
  var customer: Int
  /// How long the teller will be busy with it.
  var milliseconds: Int

  /// The work itself: a real bank would do something here.
  func takeTime() async throws {
    try await Task.sleep(for: .milliseconds(milliseconds))
  }
}

/// What a customer takes home: the result of deposits and loans.
struct Receipt: Codable, Sendable {
  /// The customer's number.
  var customer: Int
  /// In which attempt it worked.
  var attempt: Int
}
