import Foundation
import JobModel
import Testing

@testable import TellerCLI

@Suite("A list of subscribers")
struct SubscribersTextTests {
  @Test("shows the place, how far it is behind, and when the subscriber was seen")
  func table() {
    let subscribers = [
      SubscriberStatus(
        name: "audit", epoch: 2, sequence: 42, offset: 7, behind: 3, seen: Timestamp(milliseconds: 5_000)),
      SubscriberStatus(
        name: "old", epoch: 1, sequence: 900, offset: nil, behind: nil, seen: Timestamp(milliseconds: 0)),
    ]
    let lines = SubscribersText.table(subscribers, now: Date(timeIntervalSince1970: 7)).lines(width: nil)
    #expect(lines == ["audit\t2/42/7\t3\t2 s ago", "old\t1/900\t–\t7 s ago"])
  }
}
