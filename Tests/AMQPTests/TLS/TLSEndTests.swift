import Dispatch
import Foundation
import Testing

@testable import AMQP

@Suite("A process that ends while TLS connections are made")
struct TLSEndTests {
  /// Each ends at another moment of what the threads are doing.
  @Test("its threads do not crash it", arguments: 1...8)
  func ends(_ turn: Int) async {
    await #expect(processExitsWith: .exitCode(7)) {
      let begun = DispatchSemaphore(value: 0)
      let threads = 8
      for _ in 0..<threads {
        Thread.detachNewThread {
          _ = BrokerTLS().problems()
          begun.signal()
          while true { _ = BrokerTLS().problems() }
        }
      }
      for _ in 0..<threads { begun.wait() }
      exit(7)
    }
  }
}
