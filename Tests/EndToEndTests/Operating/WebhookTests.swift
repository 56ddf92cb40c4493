import Foundation
import SystemSupport
import TestSupport
import Testing

/// `TELLER_TEST_WEBHOOKS=full`: a hundred notifications for each webhook, and a receiver that is down for a minute.
@Suite("Webhooks", .serialized, .timeLimit(.minutes(10)))
struct WebhookTests {
  private static let isFull = ProcessInfo.processInfo.environment["TELLER_TEST_WEBHOOKS"] == "full"
  /// How many notifications each webhook delivers.
  private static let count = isFull ? 100 : 3

  @Test("deliver each notification, whatever the receiver does, and nobody waits for another one's receiver")
  func ways() async throws {
    let stage = try await WebhookStage.start(count: WebhookTests.count)
    try await stage.submit(to: "slow")
    try await stage.receiver.waitForLine(containing: "arrived slow", within: TellerSystem.limit)
    let ways = ["good", "error", "busy", "hang", "early", "redirect", "flood", "slack"]
    for way in ways { try await stage.submit(to: way) }
    for way in ways { try await stage.expectDelivered(way) }
    #expect(stage.requests("slow").isEmpty, "it hangs on")
    #expect(stage.requests("good").count == WebhookTests.count, "each is delivered once where nothing goes wrong")
    for way in ["error", "busy", "redirect"] {
      #expect(stage.requests(way).count == WebhookTests.count * 2)
    }
    #expect(stage.requests("busy").filter { $0.status == 204 }.allSatisfy { $0.after >= 1 }, "Retry-After is heeded")
    try stage.receiver.write("open slow\n")
    try await stage.expectDelivered("slow")
    try stage.expectNoSecret()
    try await stage.close()
  }

  @Test("a receiver that is down, or gone, or may not be reached, gets everything when that is mended")
  func mended() async throws {
    let stage = try await WebhookStage.start(count: WebhookTests.count)
    let system = stage.system
    let jobs = try await stage.submit(to: "inside")
    for way in ["down", "gone"] { try await stage.submit(to: way) }

    try await stage.sender.waitForLine(containing: "Connection refused", within: TellerSystem.limit)
    if WebhookTests.isFull { try await Task.sleep(for: .seconds(60)) }
    let (late, _) = try await system.receiver(at: stage.down)
    try await stage.expectDelivered("down", at: late)

    try await stage.sender.waitForLine(containing: "is paused, until somebody resumes it", within: TellerSystem.limit)
    try await eventually("the department is paused", within: TellerSystem.limit) {
      try await system.department("webhook-gone")["paused"] as? Bool == true
    }
    try stage.receiver.write("open gone\n")
    #expect(try await system.teller("resume", "webhook-gone").status == 0)
    try await stage.expectDelivered("gone")

    #expect(Set(try await system.outcomes(of: jobs).values) == ["failed"])
    let failed = try await system.ask("failed", "--json", "--department", "webhook-inside").objects
    let errors = failed.compactMap { ($0["error"] as? [String: any Sendable])?["error"] as? String }
    #expect(Set(errors) == ["webhook_forbidden"], "\(failed)")
    #expect(stage.requests("inside").isEmpty)
    try await stage.allowInside()
    #expect(try await system.teller("replay", "--department", "webhook-inside", "--yes").status == 0)
    try await stage.expectDelivered("inside")
    try stage.expectNoSecret()
    try await late.close()
    try await stage.close()
  }
}
