import Foundation
import SystemSupport
import TestSupport
import Testing

/// `TELLER_TEST_WEBHOOKS=full`: a hundred notifications for each webhook, and a receiver that is down for a minute.
@Suite("Webhooks", .serialized, .timeLimit(.minutes(10)))
struct WebhookTests {
  private static let isFull = ProcessInfo.processInfo.environment["TELLER_TEST_WEBHOOKS"] == "full"
  /// How many notifications there are.
  private static let count = isFull ? 100 : 5

  @Test("deliver each notification that they are about, whatever the receiver does, and nobody waits for another one's")
  func ways() async throws {
    let all = ["good", "error", "busy", "hang", "early", "redirect", "flood", "slack"]
    let stage = try await WebhookStage.start(all + ["slow", "failures", "pauses", "rest"])
    let told = try await stage.happen(WebhookTests.count)
    try await stage.receiver.waitForLine(containing: "arrived slow", within: TellerSystem.limit)
    for way in all { try await stage.expectDelivered(way, told) }
    try await stage.expectDelivered("failures", told.filter { $0.event == "failed" })
    for way in ["pauses", "rest"] { try await stage.expectDelivered(way, told.filter { $0.job == nil }) }
    #expect(stage.requests("slow").isEmpty, "it hangs on")
    #expect(stage.requests("good").count == told.count, "each is delivered once where nothing goes wrong")
    for way in ["error", "busy", "redirect"] { #expect(stage.requests(way).count == told.count * 2) }
    #expect(stage.requests("busy").filter { $0.status == 204 }.allSatisfy { $0.after >= 1 }, "Retry-After is heeded")
    try stage.receiver.write("open slow\n")
    try await stage.expectDelivered("slow", told)
    try stage.expectNoSecret()
    try await stage.close()
  }

  @Test("one that is taken out or put in stops none of the others, whoever reads the file first")
  func changed() async throws {
    var stage = try await WebhookStage.start(["good", "early"])
    try await stage.configure(["good"], first: stage.coordinator, then: nil)
    try await stage.configure(["good", "early"], first: stage.sender, then: stage.coordinator)
    let told = try await stage.happen(WebhookTests.count)
    for way in ["good", "early"] { try await stage.expectDelivered(way, told) }
    try await stage.close()
  }

  @Test("a receiver that is down, or gone, or may not be reached, gets everything when that is mended")
  func mended() async throws {
    let stage = try await WebhookStage.start(["inside", "down", "gone", "failures", "rest"])
    let system = stage.system
    let told = try await stage.happen(WebhookTests.count)

    try await stage.sender.waitForLine(containing: "Connection refused", within: TellerSystem.limit)
    if WebhookTests.isFull { try await Task.sleep(for: .seconds(60)) }
    let (late, _) = try await system.receiver(at: stage.addresses.down)
    try await stage.expectDelivered("down", told, at: late)

    try await stage.sender.waitForLine(containing: "is paused, until somebody resumes it", within: TellerSystem.limit)
    try await eventually("the department is paused", within: TellerSystem.limit) {
      try await system.department("webhook-gone")["paused"] as? Bool == true
    }
    try stage.receiver.write("open gone\n")
    #expect(try await system.teller("resume", "webhook-gone").status == 0)
    try await stage.expectDelivered("gone", told)

    try await stage.expectForbidden("inside", count: told.count)
    try await stage.allowInside()
    #expect(try await system.teller("replay", "--department", "webhook-inside", "--yes").status == 0)
    try await stage.expectDelivered("inside", told)
    // Deliveries have failed meanwhile, and a department of a webhook was paused: nobody is sent that.
    try await stage.expectDelivered("failures", told.filter { $0.event == "failed" })
    try await stage.expectDelivered("rest", told.filter { $0.job == nil })
    try stage.expectNoSecret()
    try await late.close()
    try await stage.close()
  }
}
