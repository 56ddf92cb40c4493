import Decisions
import Foundation
import Teller
import Testing

@testable import Webhooks

@Suite("Retry-After")
struct RetryAfterTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT.
  private let moment = Date(timeIntervalSince1970: 784_111_777)

  @Test(
    "is a number of seconds",
    arguments: [("0", 0), ("120", 120), (" 7 ", 7), ("86401", 86_400), ("99999999999999999999999", 86_400)])
  func seconds(text: String, seconds: Int) {
    #expect(RetryAfter.wait(text, at: moment) == .seconds(seconds))
  }

  @Test(
    "is a date in each of the three forms",
    arguments: ["Sun, 06 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-94 08:50:37 GMT", "Sun Nov  6 08:50:37 1994"])
  func dates(text: String) {
    #expect(RetryAfter.wait(text, at: moment) == .seconds(60))
    #expect(RetryAfter.wait(text, at: moment + 59.5) == .seconds(1))
    #expect(RetryAfter.wait(text, at: moment + 3_600) == .zero)
    #expect(RetryAfter.wait(text, at: moment - 1_000_000) == RetryAfter.longest)
  }

  @Test(
    "knows leap years",
    arguments: [("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Wed, 01 Mar 2028 00:00:00 GMT", 1_835_481_600)])
  func leapYears(text: String, seconds: Int) {
    #expect(RetryAfter.wait(text, at: Date(timeIntervalSince1970: Double(seconds - 5))) == .seconds(5))
  }

  @Test(
    "is nothing else",
    arguments: [
      "", "-1", "1.5", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 32 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 24:49:37 GMT",
      "Sun, 06 Nob 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "٣",
    ])
  func nonsense(text: String) {
    #expect(RetryAfter.wait(text, at: moment) == nil)
  }
}

@Suite("What an answer means")
struct VerdictTests {
  private let webhook: Webhook

  init() throws {
    let address = try WebhookAddress("https://hooks.example.com:8443/T0/secret?key=secret")
    webhook = Webhook(name: "ops", settings: WebhookSettings(place: .address(address)), address: address)
  }

  private func failure(_ status: Int, retryAfter: String? = nil) throws -> RetryLater {
    let verdict = Verdict(Answer(status: status, retryAfter: retryAfter), from: webhook, at: Date())
    guard case .failed(let failure) = verdict else { throw TellerError.invalid(reason: "\(verdict)") }
    #expect(!failure.message.contains("secret"), "the path of an address may be a secret")
    #expect(failure.message.contains("webhook \"ops\": https://hooks.example.com:8443 answered \(status)"))
    return failure
  }

  @Test("2xx is delivered", arguments: [200, 202, 204, 299])
  func delivered(status: Int) {
    #expect(Verdict(Answer(status: status, retryAfter: "60"), from: webhook, at: Date()) == .delivered)
  }

  @Test(
    "everything else is tried again", arguments: [101, 300, 301, 304, 307, 400, 401, 404, 408, 425, 429, 500, 503, 599])
  func failed(status: Int) throws {
    let failure = try failure(status)
    #expect(failure.time == .zero)
    #expect(!failure.pausesDepartment)
    #expect((failure.code == "webhook_redirect") == (300...399).contains(status))
  }

  @Test("410 pauses the department, and says so")
  func gone() throws {
    let failure = try failure(410)
    #expect(failure.pausesDepartment)
    #expect(failure.message.contains("department \"webhook-ops\" is paused"))
  }

  @Test("Retry-After counts with every status", arguments: [302, 410, 429, 503])
  func retryAfter(status: Int) throws {
    #expect(try failure(status, retryAfter: "60").time == .seconds(60))
    #expect(try failure(status, retryAfter: "1000000").time == RetryAfter.longest)
    #expect(try failure(status, retryAfter: "never").time == .zero)
  }
}
