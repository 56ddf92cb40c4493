import JobModel
import NIOCore
import Teller
import Testing

@testable import TellerPage

@Suite("What a stream is sent next")
struct ViewerTests {
  private let now = ContinuousClock.now

  private func position(_ sequence: Int64) -> EventPosition { EventPosition(epoch: 1, sequence: sequence) }

  /// Events up to that number, all released, and a board of that place.
  private func supply(_ sequences: ClosedRange<Int64>, place: Int64, limit: Int = 1_000) -> Viewer.Supply {
    var supply = Viewer.Supply(ring: EventRing(limit: limit), released: 0)
    for sequence in sequences { supply.add(sequence) }
    (supply.board, supply.place, supply.isBoardFollowed) = (1, position(place), true)
    return supply
  }

  /// All that is sent, without beats.
  private func all(_ viewer: inout Viewer, _ supply: Viewer.Supply) -> [Viewer.Delivery] {
    var all: [Viewer.Delivery] = []
    while let next = viewer.take(supply, now: now) { all.append(next) }
    return all
  }

  @Test("first a picture, then the events that the picture does not know")
  func picture() {
    var viewer = Viewer(["front"], opened: now)
    #expect(all(&viewer, supply(1...5, place: 3)) == [.picture, .events(3..<5, floor: position(3))])
  }

  @Test("events that come later and that the picture knows already are not told")
  func late() {
    var (viewer, supply) = (Viewer([], opened: now), supply(1...2, place: 4))
    #expect(all(&viewer, supply) == [.picture])
    for sequence in 3...6 as ClosedRange<Int64> { supply.add(sequence) }
    #expect(all(&viewer, supply) == [.events(2..<6, floor: position(4))])
    let told = LiveMessage.events(supply.ring.entries(2..<6), floor: position(4)).map { String(buffer: $0) }
    #expect(told == "event: events\nid: 1/6\ndata: [5,6]\n\n")
    supply.add(7)
    #expect(all(&viewer, supply) == [.events(6..<7, floor: nil)])
  }

  @Test("a board that events are missing behind is not shown as a picture; the wait for a better one has an end")
  func notFollowed() {
    var (viewer, supply) = (Viewer([], opened: now), supply(1...2, place: 1))
    supply.isBoardFollowed = false
    #expect(viewer.take(supply, now: now) == nil)
    #expect(!viewer.wantsOldPicture(now))
    let later = now + HubLimits.firstBoard
    #expect(viewer.wantsOldPicture(later))
    #expect(viewer.take(supply, now: later) == .picture)
    #expect(viewer.take(supply, now: later) == nil, "without events: some may be missing")
    (supply.state, supply.beat) = (2, 1)
    #expect(viewer.take(supply, now: later) == .state)
    #expect(viewer.take(supply, now: later) == .beat)
    (supply.board, supply.isBoardFollowed) = (2, true)
    #expect(viewer.take(supply, now: later) == .picture)
    #expect(viewer.take(supply, now: later) == .events(1..<2, floor: position(1)))
  }

  @Test("a browser that comes again gets exactly what it has missed, and no picture")
  func resumed() {
    let supply = supply(1...10, place: 10)
    var viewer = Viewer([], opened: now)
    viewer.resume(behind: position(7), supply.ring)
    #expect(all(&viewer, supply) == [.state, .board, .events(7..<10, floor: position(7))])
  }

  @Test("one that comes again after too long gets a picture")
  func tooLate() {
    let supply = supply(1...100, place: 100, limit: 10)
    var viewer = Viewer([], opened: now)
    viewer.resume(behind: position(7), supply.ring)
    #expect(viewer.take(supply, now: now) == .picture)
  }

  @Test("a stream that falls behind is told how many it has missed, and goes on with the newest")
  func skipped() {
    var (viewer, supply) = (Viewer([], opened: now), supply(1...1, place: 1, limit: 10))
    #expect(all(&viewer, supply) == [.picture])
    for sequence in 2...51 as ClosedRange<Int64> { supply.add(sequence) }
    supply.board = 2
    #expect(all(&viewer, supply) == [.skipped(50), .board])
    supply.add(52)
    #expect(viewer.take(supply, now: now) == .events(51..<52, floor: position(1)))
  }

  @Test("a message has a limit, and what may not be sent yet waits")
  func limit() {
    var (viewer, supply) = (Viewer([], opened: now), supply(1...450, place: 0))
    supply.released = 410
    let expected: [Viewer.Delivery] = [
      .picture, .events(0..<200, floor: position(0)), .events(200..<400, floor: nil), .events(400..<410, floor: nil),
    ]
    #expect(all(&viewer, supply) == expected)
  }

  @Test("the newest state, board and beat are sent once each, however many there were")
  func newest() {
    var (viewer, supply) = (Viewer([], opened: now), supply(1...1, place: 1))
    #expect(all(&viewer, supply) == [.picture])
    (supply.state, supply.board, supply.beat) = (5, 9, 3)
    #expect(all(&viewer, supply) == [.state, .board, .beat])
  }

  @Test("after something was missed there is a new picture")
  func restarted() {
    var (viewer, supply) = (Viewer([], opened: now), supply(1...3, place: 3))
    #expect(viewer.take(supply, now: now) == .picture)
    viewer.restart()
    supply.isBoardFollowed = false
    #expect(viewer.take(supply, now: now) == nil)
    supply.isBoardFollowed = true
    #expect(viewer.take(supply, now: now) == .picture)
  }
}

extension Viewer.Supply {
  fileprivate mutating func add(_ sequence: Int64) {
    ring.append(EventRing.Entry(position: EventPosition(epoch: 1, sequence: sequence), json: Array("\(sequence)".utf8)))
    released = ring.end
  }
}
