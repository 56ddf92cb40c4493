import AMQP
import Foundation
import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

@Suite("A client whose broker is short of memory", .serialized, .timeLimit(.minutes(15)))
struct ClientAlarmTests {
  private static let waves = 50
  private static let wave = 200
  private static let bytes = 100_000
  /// All submissions have a gigabyte. Other tests run in the same process.
  private static let growthLimit = 400 << 20

  /// The memory of this process, in bytes.
  private static func residentMemory() throws -> Int {
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").dropFirst().first
    return (pages.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
  }

  @Test("submissions that are cancelled during an alarm leave nothing behind, and do not arrive after it")
  func cancelled() async throws {
    let node = try await BrokerNode.start()
    let coordinator = try await CoordinatorPart.start(at: node.url)
    let client = try await coordinator.client()
    try await node.ctl("set_vm_memory_high_watermark", "0.0000001")
    // The broker tells a connection of its alarm once that has published.
    let early = Task { try await client.submit(Deposit.self, .init(cents: 1)).id }
    try await eventually("the broker has told of its alarm", within: patience) {
      client.core.lines.submitting.blocked != nil
    }
    let room = client.core.room.used
    let before = try Self.residentMemory()
    let connection = try await client.connection(of: client.core.lines.submitting)
    for _ in 1...Self.waves { try await cancelWave(of: client, on: connection) }
    let during = try Self.residentMemory()
    #expect(during - before < Self.growthLimit, "\(before >> 20) MiB before, \(during >> 20) MiB after")
    #expect(client.core.room.used == room)
    try await node.ctl("set_vm_memory_high_watermark", "0.4")
    let last = try await client.submit(Deposit.self, .init(cents: 3)).id
    var ids = [try await coordinator.nextJob().id]
    while ids.last != last { ids.append(try await coordinator.nextJob().id) }
    #expect(ids == [try await early.value, last])
    await client.close()
    await coordinator.close()
    try await node.close()
  }

  /// Submits jobs, and cancels them all once they wait.
  private func cancelWave(of client: TellerClient, on connection: Connection) async throws {
    let tasks = (1...Self.wave).map { _ in
      Task {
        let payload = Array(repeating: UInt8(ascii: "1"), count: Self.bytes)
        return try await client.submit(JobSubmission(kind: "deposit", payload: payload)).id
      }
    }
    try await eventually("the submissions wait", within: patience) { await connection.waitingCalls == Self.wave }
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    try await eventually("they are taken out of the line", within: patience) { await connection.waitingCalls == 0 }
  }

  @Test("what waits for the broker is bounded, and the others wait for room")
  func bounded() async throws {
    let node = try await BrokerNode.start()
    let coordinator = try await CoordinatorPart.start(at: node.url)
    try await node.ctl("set_vm_memory_high_watermark", "0.0000001")
    var timeouts = ClientTimeouts.quick
    (timeouts.submit, timeouts.close) = (.seconds(30), .zero)
    let client = try await coordinator.client(timeouts: timeouts)
    let (most, more) = (SubmissionRoom.Load.limit.bytes / Self.bytes, 20)
    let tasks = (1...(most + more)).map { _ in
      Task {
        let payload = Array(repeating: UInt8(ascii: "1"), count: Self.bytes)
        return try await client.submit(JobSubmission(kind: "deposit", payload: payload)).id
      }
    }
    try await eventually("the others wait for room", within: patience) { client.core.room.waiting == more }
    let connection = try await client.connection(of: client.core.lines.submitting)
    #expect(await connection.waitingCalls <= most, "what is handed to the connection is what has room")
    for task in tasks {
      let error = await #expect(throws: TellerError.self) { try await task.value }
      guard case .brokerBlocked? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(client.core.room.used.isWithinLimit)
    }
    await client.close()
    await coordinator.close()
    try await node.close()
  }

  @Test("a submission that finds the broker blocked says so, and why")
  func blocked() async throws {
    let node = try await BrokerNode.start()
    let coordinator = try await CoordinatorPart.start(at: node.url)
    try await node.ctl("set_vm_memory_high_watermark", "0.0000001")
    // The broker says so once the submission has reached it: within the limit, however busy the machine is.
    try await withGrowingLimit(from: .seconds(5)) { limit in
      var timeouts = ClientTimeouts.quick
      (timeouts.submit, timeouts.close) = (limit, .milliseconds(100))
      let client = try await coordinator.client(timeouts: timeouts)
      let error = await #expect(throws: TellerError.self) { try await client.submit(Deposit.self, .init(cents: 1)) }
      await client.close()
      if let error, error.isOfSlowBroker { throw error }
      let text = "\(try #require(error))"
      #expect(text.contains("the broker is blocked") && text.contains("memory"), "\(text)")
    }
    try await node.ctl("set_vm_memory_high_watermark", "0.4")
    await coordinator.close()
    try await node.close()
  }
}
