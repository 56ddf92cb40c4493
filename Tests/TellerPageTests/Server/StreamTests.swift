import Foundation
import JobModel
import Logging
import NIOCore
import ServiceLifecycle
import Teller
import TellerHealth
import TestSupport
import Testing

@testable import TellerPage

@Suite("Streams of live news", .timeLimit(.minutes(10)))
struct StreamTests {
  private let source = PlayedSource()

  private func serving<Value: Sendable>(
    _ settings: PageSettings = PageStage.settings, _ body: @escaping @Sendable (Browser) async throws -> Value
  ) async throws -> Value {
    try await PageStage.serving(settings, source: source, body)
  }

  @Test("a stream is Server-Sent Events: a picture, then what happens")
  func stream() async throws {
    try await serving { [source] browser in
      let head = try await browser.stream { _ in "" }
      #expect(head.isEmpty)
      try await browser.stream("/api/live?department=front") { reader in
        let picture = try #require(try await reader.next())
        #expect(picture.event == "picture" && picture.id == "1/0")
        #expect((picture.object["board"] as? [String: Any])?["departments"] is [Any])
        source.record(2)
        let events = try #require(try await reader.next("events"))
        #expect(events.numbers.first == 1 && events.id?.hasPrefix("1/") == true)
        #expect(try await reader.next("beat")?.object["at_ms"] is Int)
        #expect(try await reader.next("board") != nil)
      }
    }
  }

  @Test("the head says what it is, that nobody keeps it, and how soon to come again")
  func head() async throws {
    try await serving { browser in
      let channel = try await browser.connect()
      let text = try await limited("the head") {
        try await channel.executeThenClose { inbound, outbound in
          try await outbound.write(ByteBuffer(string: "GET /api/live HTTP/1.1\r\nHost: \(browser.address)\r\n\r\n"))
          var text = ""
          for try await bytes in inbound {
            text += String(buffer: bytes)
            if text.contains("retry: 1000\n\n") { break }
          }
          return text
        }
      }
      let answer = Browser.Answer(text)
      #expect(answer.status == 200 && answer.field("Content-Type") == "text/event-stream", "\(answer)")
      #expect(answer.field("Cache-Control") == "no-store" && answer.field("X-Accel-Buffering") == "no")
      #expect(answer.field("X-Frame-Options") == "DENY")
    }
  }

  @Test("a browser that comes again misses nothing, by its own field or by the address", arguments: [true, false])
  func again(byField: Bool) async throws {
    try await serving { [source] browser in
      let place = try await browser.stream { reader in
        _ = try await reader.next("picture")
        source.record(3)
        var last = try #require(try await reader.next("events"))
        while last.numbers.last != 3 { last = try #require(try await reader.next("events")) }
        return try #require(last.id)
      }
      source.record(4)
      let path = byField ? "/api/live" : "/api/live?after=\(place)"
      try await browser.stream(path, byField ? ["Last-Event-ID: \(place)"] : []) { reader in
        var (numbers, pictures) = ([Int](), 0)
        while numbers.count < 4, let message = try await reader.next() {
          if message.event == "picture" { pictures += 1 }
          if message.event == "events" { numbers += message.numbers }
        }
        #expect(numbers == [4, 5, 6, 7] && pictures == 0)
      }
    }
  }

  @Test("nonsense as a place is a new stream", arguments: ["x", "1/999999999999", "2/1", "-1/1", "1/0\\nx"])
  func nonsense(place: String) async throws {
    try await serving { browser in
      try await browser.stream("/api/live", ["Last-Event-ID: \(place)"]) { reader in
        let first = try #require(try await reader.next())
        #expect(["picture", "state"].contains(first.event), "\(first)")
      }
    }
  }

  @Test("streams have limits: who opens more gets as many as there may be, and others can still act")
  func limits() async throws {
    var settings = PageStage.settings
    (settings.limits.streams, settings.limits.connections) = (5, 40)
    try await serving(settings) { browser in
      try await withThrowingTaskGroup(of: Void.self) { group in
        let (opened, opening) = AsyncStream.makeStream(of: Void.self)
        for _ in 0..<5 {
          group.addTask {
            try await browser.stream { reader in
              _ = try await reader.next("picture")
              opening.yield()
              while try await reader.next() != nil {}
            }
          }
        }
        var count = 0
        for await _ in opened {
          count += 1
          if count == 5 { break }
        }
        for _ in 0..<20 {
          let answer = try await browser.get("/api/live")
          #expect(answer.status == 429 && answer.code == "too_many", "\(answer)")
        }
        #expect(try await browser.get("/api/me").status == 200)
        group.cancelAll()
        try? await group.waitForAll()
      }
      try await eventually("a new stream begins when the others are gone", within: patience) {
        try await browser.stream { try await $0.next("picture") } != nil
      }
    }
  }

  @Test("a browser that reads nothing is disconnected, and keeps no memory")
  func slowReader() async throws {
    var settings = PageStage.settings
    settings.limits.write = .milliseconds(100)
    settings.limits.sendBuffer = 16 * 1024
    // So a second stream begins only when the first one is cut.
    settings.limits.streams = 1
    try await serving(settings) { [source] browser in
      let channel = try await browser.connect()
      try await channel.executeThenClose { _, outbound in
        try await channel.channel.setOption(ChannelOptions.autoRead, value: false).get()
        try await outbound.write(ByteBuffer(string: "GET /api/live HTTP/1.1\r\nHost: \(browser.address)\r\n\r\n"))
        try await eventually("the stream is open", within: patience) { source.isRead }
        try await eventually("the reader is disconnected", within: patience) {
          source.record(100, error: String(repeating: "x", count: 2_000))
          return try await browser.stream { try await $0.next("picture") } != nil
        }
      }
    }
  }

  @Test("the end of a page's service group ends its streams, and the page")
  func shutdown() async throws {
    let page = try PageServer(PageStage.idleClient, PageStage.settings, source: source, logger: PageStage.quiet)
    let group = ServiceGroup(services: [page], logger: PageStage.quiet)
    let running = Task { try await group.run() }
    await group.triggerGracefulShutdown()
    try await limited("the group's end") { try await running.value }
  }

  @Test("the page that ends while somebody looks ends at once")
  func ends() async throws {
    let looking = try await serving { browser in
      let (seen, seeing) = AsyncStream.makeStream(of: Void.self)
      let looking = Task {
        try await browser.stream { reader in
          _ = try await reader.next("picture")
          seeing.finish()
          while try await reader.next() != nil {}
        }
      }
      for await _ in seen {}
      return looking
    }
    try await limited("the end of the stream") { _ = await looking.result }
  }

  @Test("an address that is taken is an error, and what was to run beside it does not begin")
  func taken() async throws {
    try await serving { browser in
      var settings = PageStage.settings
      settings.address = browser.address
      let second = try PageServer(PageStage.idleClient, settings, source: PlayedSource(), logger: PageStage.quiet)
      let error = await #expect(throws: PageServerError.self) { try await second.run { Issue.record("it began") } }
      #expect(error?.description.contains("choose an address") == true)
    }
  }
}
