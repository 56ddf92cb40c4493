import Foundation
import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

@Suite("A client that asks for lists", .timeLimit(.minutes(10)))
struct ClientListingTests {
  /// A client of a coordinator that answers every question.
  private func withClient(_ body: (TellerClient) async throws -> Void) async throws {
    let coordinator = try await CoordinatorPart.start()
    var timeouts = ClientTimeouts.quick
    timeouts.request = CoordinatorPart.patience
    let client = try await coordinator.client(timeouts: timeouts)
    let questions = try await coordinator.answerQuestions()
    try await body(client)
    questions.cancel()
    await client.close()
    await coordinator.close()
  }

  @Test("workers come a page at a time, with the kinds of their handlers")
  func workers() async throws {
    try await withClient { client in
      var query = WorkerQuery(department: "loan", limit: 1)
      let first = try await client.workers(query)
      #expect(first.workers.map(\.id.text) == ["w1"])
      #expect(first.workers[0].kinds == ["deposit", "loan"])
      #expect(first.workers[0].status.isDraining && !first.workers[0].status.isToldToDrain)
      #expect(first.workers[0].status.tellers == ["loan": 2])
      #expect(first.next != nil)
      query.after = first.next
      let second = try await client.workers(query)
      #expect(second.workers.map(\.id.text) == ["w2"] && second.next == nil)
    }
  }

  @Test("schedules come all at once, however many pages they have")
  func schedules() async throws {
    try await withClient { client in
      let schedules = try await client.schedules()
      #expect(schedules.map(\.name) == ["hourly", "nightly"])
      #expect(schedules[0].next == Date(timeIntervalSince1970: 5) && schedules[0].last == nil)
    }
  }

  @Test("keys come a page at a time")
  func keys() async throws {
    try await withClient { client in
      var query = KeyQuery(kind: "loan")
      let first = try await client.keys(query)
      #expect(first.keys.map(\.key) == ["a"] && first.keys[0].kind == "loan" && first.keys[0].state == .held)
      #expect(first.keys[0].until == Date(timeIntervalSince1970: 7))
      #expect(first.next != nil)
      query.after = first.next
      let second = try await client.keys(query)
      #expect(second.keys.map(\.key) == ["b"] && second.next == nil)
    }
  }

  @Test("a key is told at once, and its outcome when there is one")
  func key() async throws {
    try await withClient { client in
      let key = JobKey(kind: "loan", key: "A-17")
      let status = try await client.key(key)
      #expect(status.name == key && status.state == .running && status.waiting == 2 && status.outcome == nil)
      let outcome = Outcome.succeeded(result: [0x37], contentType: "application/json")
      #expect(try await client.outcome(of: key) == outcome)
      #expect(try await client.key(JobKey(kind: "loan", key: "unused")).job == nil)
      await #expect(throws: TellerError.self) {
        try await client.outcome(of: JobKey(kind: "loan", key: "unused"), timeout: .milliseconds(200))
      }
      await #expect(throws: TellerError.self) { try await client.key(JobKey(kind: "loan", key: "a\nb")) }
    }
  }

  @Test("plans come a page at a time, the ended ones only when they are asked for")
  func plans() async throws {
    try await withClient { client in
      let first = try await client.plans(PlanQuery(department: "init"))
      #expect(first.plans.map(\.number) == [9] && first.plans[0].state == .held)
      let second = try await client.plans(PlanQuery(includesEnded: true, before: first.next))
      #expect(second.plans.map(\.number) == [8] && second.plans[0].state == .succeeded && second.next == nil)
    }
  }

  @Test("a page that is too large is refused before it is asked for")
  func limits() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    await #expect(throws: TellerError.invalid(reason: "limit 0 is not between 1 and 100")) {
      _ = try await client.workers(WorkerQuery(limit: 0))
    }
    await #expect(throws: TellerError.invalid(reason: "limit 1001 is not between 1 and 1000")) {
      _ = try await client.keys(KeyQuery(limit: 1_001))
    }
    await #expect(throws: TellerError.invalid(reason: "limit 101 is not between 1 and 100")) {
      _ = try await client.plans(PlanQuery(limit: 101))
    }
    await client.close()
    await coordinator.close()
  }
}
