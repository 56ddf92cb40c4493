import Foundation
import JobModel
import JobTransport
import Testing

@testable import Teller

@Suite("The place of an event")
struct EventPlaceTests {
  private let position = EventPosition(epoch: 2, sequence: 41, offset: 977)
  private let start = ContinuousClock.now

  private func message(epoch: Int = 2, _ numbers: ClosedRange<Int64>, offset: Int64?) -> NotificationMessage {
    let events = numbers.map { number in
      JobModel.Notification(
        seq: number, job: JobID(), kind: "k", department: "d", event: "succeeded", attempt: 1, at: .now())
    }
    return .recorded(NotificationBatch(ledger: LedgerID(), epoch: epoch, notifications: events), offset: offset)
  }

  @Test("its text and its JSON hold all of it, with and without an offset")
  func forms() throws {
    for position in [position, EventPosition(epoch: 1, sequence: 7)] {
      let text = try #require(EventPosition(position.description))
      #expect(text == position && text.offset == position.offset)
      let json = try JSONDecoder().decode(EventPosition.self, from: try JSONEncoder().encode(position))
      #expect(json == position && json.offset == position.offset)
    }
    let older = try JSONDecoder().decode(EventPosition.self, from: Data(#"{"epoch":2,"sequence":41}"#.utf8))
    #expect(older == position && older.offset == nil, "positions are of the same event with and without an offset")
    for text in ["", "1", "1/", "/2", "a/2", "1/2/", "1/2/3/4", "-1/2", "1/2/-3"] {
      #expect(EventPosition(text) == nil)
    }
  }

  @Test("a place is found only in the message that has its offset and its event")
  func found() throws {
    let place = try #require(StreamPlace(of: position))
    #expect(place.isFound(in: message(40...42, offset: 977)))
    #expect(!place.isFound(in: message(40...42, offset: 978)))
    #expect(!place.isFound(in: message(42...43, offset: 977)))
    #expect(!place.isFound(in: message(epoch: 1, 40...42, offset: 977)))
    #expect(!place.isFound(in: .live([])))
    #expect(StreamPlace(offset: 977, event: nil).isFound(in: message(1...1, offset: 977)))
    #expect(StreamPlace(of: EventPosition(epoch: 1, sequence: 1)) == nil)
  }

  @Test("the time in which the reader is slow does not count for events that are missing")
  func slowReader() {
    var gap = GapTime()
    #expect(gap.time(at: start + .seconds(9)) == .zero)
    gap.note(isMissing: true, at: start)
    gap.note(isMissing: true, at: start + .seconds(1))
    gap.pause(at: start + .seconds(2))
    #expect(gap.time(at: start + .seconds(100)) == .seconds(2), "while it is slow, too")
    gap.resume(at: start + .seconds(100))
    #expect(gap.time(at: start + .seconds(103)) == .seconds(5))
    gap.note(isMissing: false, at: start + .seconds(104))
    #expect(gap.time(at: start + .seconds(105)) == .zero)
  }
}
