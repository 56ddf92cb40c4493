import Foundation
import HostingSupport
import JobModel
import Logging
import NIOCore
import Synchronization
import Teller
import TestSupport
import Testing

@testable import TellerPage

@Suite("The hub", .timeLimit(.minutes(10)))
struct HubTests {
  private let source = PlayedSource()

  /// Streams that wait for a whole picture, however busy the machine is, unless told otherwise.
  private func hub(firstBoard: Duration = .seconds(3_600)) -> Hub {
    Hub(source, version: "test", logger: PageStage.quiet, firstBoard: firstBoard)
  }

  /// The next message of that name; others are passed over, also beats without an end.
  private func next(_ event: String, _ hub: Hub, _ viewer: Int) async throws -> String {
    try await limited("a message \(event)") {
      while true {
        let message = String(buffer: try #require(try await hub.next(viewer)))
        if message.hasPrefix("event: \(event)\n") { return message }
      }
    }
  }

  @Test("fifty streams are served by one reader, and by the questions of one")
  func one() async throws {
    let (hub, gate) = (hub(), Gate())
    source.hold(gate)
    var viewers: [Int] = []
    for _ in 0..<50 { viewers.append(try #require(await hub.open(["front"], after: nil))) }
    try await eventually("the coordinator is asked", within: patience) { !source.questions.isEmpty }
    #expect(source.questions.count == 1, "the others wait for the answer to the first")
    gate.open()
    for viewer in viewers { _ = try await next("picture", hub, viewer) }
    source.record(3)
    for viewer in viewers { #expect(try await next("events", hub, viewer).contains("\"seq\":1")) }
    #expect(source.starts == [.now])
    await hub.end()
  }

  @Test("a picture has the board with the jobs of the stream's departments alone, the state, and its place")
  func picture() async throws {
    let hub = hub()
    source.record(4)
    let front = try #require(await hub.open(["front"], after: nil))
    let none = try #require(await hub.open([], after: nil))
    let picture = try await next("picture", hub, front)
    #expect(picture.contains("\nid: 1/4\n"), "\(picture)")
    #expect(picture.contains(#""page":{"version":"test"}"#))
    #expect(picture.contains(#""state":"connected""#))
    #expect(picture.components(separatedBy: #""released":true"#).count == 2)
    #expect(!(try await next("picture", hub, none)).contains(#""released""#))
    await hub.end()
  }

  @Test("a browser that comes again behind its last event gets exactly those that it has missed")
  func resumed() async throws {
    let hub = hub()
    let first = try #require(await hub.open([], after: nil))
    _ = try await next("picture", hub, first)
    source.record(5)
    _ = try await next("events", hub, first)
    try await eventually("all are told", within: patience) {
      await hub.lastTold == EventPosition(epoch: 1, sequence: 5)
    }
    await hub.close(first)
    source.record(2)
    let second = try #require(await hub.open([], after: EventPosition(epoch: 1, sequence: 3)))
    var numbers: [Substring] = []
    while numbers.count < 4 {
      let events = try await next("events", hub, second)
      numbers += events.matches(of: /"seq":(\d+)/).map(\.output.1)
    }
    #expect(numbers == ["4", "5", "6", "7"])
    await hub.end()
  }

  @Test("a reading that broke goes on behind the last event")
  func broken() async throws {
    let hub = hub()
    let viewer = try #require(await hub.open([], after: nil))
    _ = try await next("picture", hub, viewer)
    source.record(1)
    _ = try await next("events", hub, viewer)
    source.breakStream()
    try await eventually("it is read again", within: patience) { source.starts.count == 2 }
    #expect(source.starts == [.now, .after(EventPosition(epoch: 1, sequence: 1))])
    await hub.end()
  }

  @Test("without a coordinator there is a picture without a board, and the state says why")
  func noCoordinator() async throws {
    source.refuse(.noCoordinator(silentFor: .seconds(3)))
    let hub = hub(firstBoard: .milliseconds(1))
    let viewer = try #require(await hub.open([], after: nil))
    let picture = try await next("picture", hub, viewer)
    #expect(picture.contains(#""board":null"#), "\(picture)")
    // The picture may come before the coordinator was asked.
    let slow = #""state":"slow""#
    if !picture.contains(slow) { #expect(try await next("state", hub, viewer).contains(slow)) }
    source.refuse(nil)
    let whole = try await next("picture", hub, viewer)
    #expect(whole.contains(#""board":{"#))
    #expect(whole.contains(#""state":"connected""#), "\(whole)")
    await hub.end()
  }

  @Test("a lost broker is told, and the beat goes on")
  func lost() async throws {
    let hub = hub()
    let viewer = try #require(await hub.open([], after: nil))
    _ = try await next("picture", hub, viewer)
    source.stand(.lost(reason: "no connection"))
    #expect(try await next("state", hub, viewer).contains(#""state":"lost""#))
    _ = try await next("beat", hub, viewer)
    await hub.end()
  }

  @Test("the end of the page ends the streams, and none begins")
  func end() async throws {
    let hub = hub()
    let viewer = try #require(await hub.open([], after: nil))
    _ = try await next("picture", hub, viewer)
    let waiting = Task { while try await hub.next(viewer) != nil {} }
    await hub.end()
    try await limited("the end of the stream") { try await waiting.value }
    #expect(await hub.open([], after: nil) == nil)
    #expect(await !hub.isAtWork)
  }

  @Test("a stream whose reader has gone is no longer waited with")
  func cancelled() async throws {
    let hub = hub()
    let viewer = try #require(await hub.open([], after: nil))
    let waiting = Task { while try await hub.next(viewer) != nil {} }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await limited("the end") { try await waiting.value } }
    await hub.close(viewer)
    #expect(await hub.viewers == 0)
    await hub.end()
  }
}
