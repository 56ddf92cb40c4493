import Synchronization
import TestSupport
import Teller
import Testing

private typealias Updates = OrderedUpdates<String>

/// A macro that expects something calls on a copy.
private final class Receiver {
  private(set) var updates: Updates
  init(from version: Int64) { updates = Updates(from: version) }
  var version: Int64 { updates.version }
  var last: Int64 { updates.last }
  var missing: ClosedRange<Int64>? { updates.missing }
  func receive(_ update: OrderedUpdate<String>) -> Updates.Step { updates.receive(update) }
  func startAgain(from version: Int64) -> [Updates.Taken] { updates.startAgain(from: version) }
}

private func update(_ number: Int64, from version: Int64?) -> OrderedUpdate<String> {
  OrderedUpdate(number: number, madeFrom: version, "change \(number)")
}

@Suite("Numbered updates in their order")
struct OrderedUpdatesTests {
  @Test("each is applied once, against the version that it was made from")
  func inOrder() {
    let updates = Receiver(from: 4)
    #expect(updates.receive(update(5, from: 4)) == .take([.apply(update(5, from: 4))]))
    #expect(updates.receive(update(5, from: 4)) == .drop, "a repeat")
    #expect(updates.receive(update(3, from: 2)) == .drop, "older than the state")
    #expect(updates.receive(update(6, from: nil)) == .take([.apply(update(6, from: nil))]), "it holds for any version")
    #expect(updates.version == 6)
  }

  @Test("one that was made from another version than the present one is refused, and changes nothing")
  func stale() {
    let updates = Receiver(from: 0)
    _ = updates.receive(update(1, from: 0))
    #expect(updates.receive(update(2, from: 0)) == .take([.refuse(update(2, from: 0), present: 1)]))
    #expect(updates.version == 1)
    #expect(updates.last == 2)
    // Made by somebody who knows that the second one was refused.
    #expect(updates.receive(update(3, from: 1)) == .take([.apply(update(3, from: 1))]))
    #expect(updates.version == 3)
  }

  @Test("a gap is named once, each number of it, and what was held back follows")
  func gap() {
    let updates = Receiver(from: 0)
    #expect(updates.receive(update(4, from: 3)) == .fetch(1...3))
    #expect(updates.receive(update(5, from: 4)) == .drop, "all that is missing before it is on its way")
    #expect(updates.receive(update(8, from: 7)) == .fetch(6...7))
    #expect(updates.receive(update(4, from: 3)) == .drop, "held back already")
    #expect(updates.missing == 1...3)
    #expect(updates.receive(update(1, from: 0)) == .take([.apply(update(1, from: 0))]))
    #expect(updates.receive(update(3, from: 2)) == .drop)
    let expected = (2...5).map { Updates.Taken.apply(update($0, from: $0 - 1)) }
    #expect(updates.receive(update(2, from: 1)) == .take(expected))
    #expect(updates.missing == 6...7)
  }

  @Test("not more are held back than the limit says: then the whole state is to be read, and the rest follows")
  func limit() {
    let updates = Receiver(from: 0)
    let limit = Int64(Updates.heldLimit)
    for number in 2...(limit + 1) { _ = updates.receive(update(number, from: nil)) }
    #expect(updates.receive(update(limit + 2, from: nil)) == .startAgain)
    #expect(
      updates.startAgain(from: limit - 1) == (limit...limit + 1).map { Updates.Taken.apply(update($0, from: nil)) })
    #expect(updates.version == limit + 1)
    #expect(updates.missing == nil)
  }

  @Test("whatever the order and the repeats, the same sequence is taken")
  func random() {
    var random = SeededRandom(for: "numbered updates")
    for _ in 0..<200 {
      let all = (1...20).map { update(Int64($0), from: Bool.random(using: &random) ? nil : Int64($0) - 1) }
      let expected = Receiver(from: 0)
      let inOrder = all.flatMap { taken(expected.receive($0)) }
      let updates = Receiver(from: 0)
      let shuffled = (all + all.shuffled(using: &random).prefix(7)).shuffled(using: &random)
      #expect(shuffled.flatMap { taken(updates.receive($0)) } == inOrder)
      #expect(updates.version == expected.version)
    }
  }

  private func taken(_ step: Updates.Step) -> [Updates.Taken] {
    guard case .take(let taken) = step else { return [] }
    return taken
  }
}

@Suite("A state that numbered updates change")
struct OrderedStateTests {
  private struct Away: Error {}

  @Test("what is missing is fetched, and comes before what was held back")
  func fetches() async throws {
    let state = OrderedState<[Int64], String>(.init([], version: 0)) {
      $0.append(Int64($1.split(separator: " ")[1])!)
    } fetch: {
      $0.map { update($0, from: $0 - 1) }
    } read: {
      throw Away()
    }
    #expect(try await state.receive(update(3, from: 2)).count == 3)
    #expect(try await state.receive(update(2, from: 1)).isEmpty)
    #expect(await state.state == [1, 2, 3])
    #expect(await state.version == 3)
  }

  @Test("what cannot be fetched is fetched with the next update; what is gone is read as a whole")
  func recovers() async throws {
    let isAway = Flag(true)
    let state = OrderedState<[String], String>(.init([], version: 0)) {
      $0.append($1)
    } fetch: { _ in
      if isAway.value { throw Away() }
      return []
    } read: {
      OrderedState.Whole(["all up to 2"], version: 2)
    }
    await #expect(throws: Away.self) { try await state.receive(update(3, from: 2)) }
    isAway.value = false
    try await state.receive(update(4, from: 3))
    #expect(await state.state == ["all up to 2", "change 3", "change 4"])
  }
}

private final class Flag: Sendable {
  private let state: Mutex<Bool>
  init(_ value: Bool) { state = Mutex(value) }
  var value: Bool {
    get { state.withLock(\.self) }
    set { state.withLock { $0 = newValue } }
  }
}
