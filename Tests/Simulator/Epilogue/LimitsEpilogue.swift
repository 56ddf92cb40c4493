import AuditSupport
import Bookkeeping
import JobModel
import JobTransport

// What is promised of limits: as many as may be, and not one more.
extension Epilogue {
  /// Whether the place of a subscriber is kept; false: it is refused.
  private func keepPlace(of name: SubscriberName) throws -> Bool {
    let answer = try coordinator.withBooks { try $0.keepPlace(PlaceOrder(name)) }
    if case .success = answer { return true }
    return false
  }

  /// The place of a subscriber that was not told for long is forgotten.
  func forgetsPlaces() async throws {
    // On another machine the clock has to be believed for a while, and nothing is removed for its age.
    guard world.chance(25), coordinator.second == nil, coordinator.phase == .serving else { return }
    guard try keepPlace(of: "away") else { return fail("a subscriber cannot keep its place") }
    try await world.run(until: world.now + Setting.places / 2)
    if try !reading.subscribers().contains("away") { fail("the place of a subscriber is forgotten too soon") }
    try await wait(for: "the end of a place that nobody tells any more") {
      try !reading.subscribers().contains("away")
    }
  }

  /// As many subscribers as may be keep their places; the next one is refused, and those who have one go on.
  func boundsSubscribers() async throws {
    guard world.chance(30), coordinator.phase == .serving else { return }
    let most = SubscriberStatus.most
    let kept = try (0...most).map { try keepPlace(of: SubscriberName("many-\($0)") ?? "many") }
    let count = try reading.subscribers().count
    if kept.last == true || count != most { fail("\(count) subscribers keep their places, and \(most) may") }
    if try !keepPlace(of: "many-0") { fail("a subscriber that keeps its place cannot go on where there are many") }
  }

  /// The most causes of lost messages that are told apart.
  private static let mostCauses = 256

  /// Whoever makes up causes is not told of more than there can be.
  func boundsDeadLetterCauses() async throws {
    guard world.chance(30), coordinator.phase == .serving else { return }
    let causes = (0...Epilogue.mostCauses).map { DeadLetterCause(queue: "made up \($0)", reason: "expired") }
    let now = try coordinator.withBooks { books in
      books.noteDeadLetters(causes)
      return books.monotonic
    }
    let told = try await books.status(broker: .connected, at: now).coordinator.deadLetters?.count ?? 0
    if told != Epilogue.mostCauses { fail("\(told) causes of lost messages are told apart") }
  }

  // MARK: Forecasts

  /// How many jobs of a sort have to have run before anything is foreseen.
  private static let seen = 40
  private static let looks = 12

  /// Looks at a department that has more tellers than jobs, again and again as one job goes its way.
  func foresees() async throws {
    guard world.chance(25) else { return }
    for _ in 0..<Epilogue.seen { client.submit(job("quick", Script(length: .milliseconds(200))), Wanted()) }
    try await wait(for: "the end of many short jobs") { client.isIdle }
    for _ in 0..<3 {
      client.submit(job("quick", Script(length: .milliseconds(200))), Wanted())
      for _ in 0..<Epilogue.looks where world.failures.isEmpty {
        try await world.run(until: world.now + .microseconds(700))
        try await Looks(coordinator).lookAhead()
      }
      try await wait(for: "the end of a short job") { client.isIdle }
    }
  }
}
