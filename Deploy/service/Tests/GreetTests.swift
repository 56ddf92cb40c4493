import Foundation
import Teller
import TellerTesting
import Testing

@testable import greeter

@Suite("Greetings")
struct GreetTests {
  @Test("the handler greets by name")
  func handler() async throws {
    #expect(try await TellerTesting.run(Greet(), .init(name: "Ada")).text == "Good morning, Ada!")
  }

  @Test("a job goes to a worker, and its result comes back", .enabled(if: hasBroker))
  func wholeSystem() async throws {
    try await TellerTesting.withSystem(serving: ["greeter": [Greet()]]) { system in
      let job = try await system.client.submit(Greet.self, .init(name: "Ada"))
      #expect(try await job.value(timeout: .seconds(60)).text == "Good morning, Ada!")
    }
  }

  /// `./run test` starts a RabbitMQ for the tests. Without one, the test of the whole system is skipped.
  private static let hasBroker = ProcessInfo.processInfo.environment["TELLER_TEST_BROKER_URL"] != nil
}
