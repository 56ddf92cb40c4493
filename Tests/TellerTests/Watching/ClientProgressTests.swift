import AMQP
import BrokerSupport
import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

@Suite("How far jobs have come, followed by a client")
struct ClientProgressTests {
  @Test("a watch is told of progress only when it asks")
  func watched() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let asking = try await client.events(since: .now, matching: EventFilter(events: ["progress"]))
    let other = try await client.events(since: .now)
    let job = JobID()
    try await coordinator.say(0.4, "page 4 of 10", of: job)
    try await coordinator.relay("started", job: job)
    let event = try await limited("the progress") { try await asking.first { _ in true } }
    #expect(event?.change == .progress)
    #expect(event?.isLive == true)
    #expect(event?.progress?.fraction == 0.4)
    #expect(event?.progress?.text == "page 4 of 10")
    #expect(try await limited("the start") { try await other.first { _ in true } }?.change == .started)
    await client.close()
    await coordinator.close()
  }

  @Test("a watch is told that jobs are accepted and released only when it asks for that event")
  func changes() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let asking = try await client.events(since: .now, matching: EventFilter(events: ["released"]))
    let other = try await client.events(since: .now)
    let job = JobID()
    for event in LiveEvent.allCases {
      let told = Notification(job: job, kind: "deposit", department: "deposit", event: event.rawValue, at: .now())
      try await coordinator.connection.publish(NotificationCodec.encode(event, [told]))
    }
    try await coordinator.relay("started", job: job)
    let event = try await limited("the release") { try await asking.first { _ in true } }
    #expect(event?.change == .released && event?.job == job && event?.isLive == true && event?.attempt == nil)
    #expect(try await limited("the start") { try await other.first { _ in true } }?.change == .started)
    await client.close()
    await coordinator.close()
  }

  @Test("a reader is told of its own job, also after the connection was lost")
  func followed() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let job = JobID()
    let heard = CalledProgress()
    let reader = ProgressReader(client: client, jobs: [job]) { id, progress in if id == job { heard.note(progress) } }
    let reading = Task { try await reader.run() }
    for round in 1...2 {
      try await eventually("a word of round \(round)", within: patience) {
        try await coordinator.say(1, "other", of: JobID())
        try await coordinator.say(0.5, "round \(round)", of: job)
        return heard.all.last?.text == "round \(round)"
      }
      try await client.connection(of: client.core.lines.watching).provokeLoss()
    }
    #expect(!heard.all.contains { $0.text == "other" })
    reading.cancel()
    await client.close()
    await coordinator.close()
  }
}

extension CoordinatorPart {
  fileprivate func say(_ fraction: Double, _ text: String, of job: JobID) async throws {
    let notification = Notification(
      seq: nil, job: job, kind: "deposit", department: "deposit", event: "progress", attempt: 1, at: .now(),
      progress: fraction, text: text)
    try await connection.publish(NotificationCodec.encode(progress: notification))
  }
}
