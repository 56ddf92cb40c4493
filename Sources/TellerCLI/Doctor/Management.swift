import AMQP
import AsyncHTTPClient
import Foundation
import JobModel
import NIOCore
import NIOHTTP1
import Webhooks

/// Where RabbitMQ's management API is.
struct ManagementAddress: Hashable {
  let url: URL
  let user: String?
  let password: String?

  /// Reads `http://user:password@host:port`. nil: the text is no such address.
  init?(_ text: String) {
    guard var parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme), let host = parts.host,
      !host.isEmpty, parts.query == nil, parts.fragment == nil
    else { return nil }
    (user, password) = (parts.user, parts.password)
    (parts.user, parts.password) = (nil, nil)
    while parts.path.hasSuffix("/") { parts.path.removeLast() }
    guard let url = parts.url else { return nil }
    self.url = url
  }

  /// The host, if others can read the password on the way to it; nil: it is this machine, or the address is `https`.
  var hostReadableOnTheWay: String? {
    guard url.scheme == "http", let host = url.host(percentEncoded: false) else { return nil }
    return BrokerURL.isThisMachine(host.trimmingCharacters(in: ["[", "]"])) ? nil : host
  }
}

/// Asks RabbitMQ's management API.
struct Management {
  let address: ManagementAddress
  let user: String
  let password: String
  /// How long one answer may take, from the question to its last byte.
  var patience: Duration = .seconds(10)

  /// The largest answer that is read, in bytes: that of a broker with thousands of queues.
  private static let largest = 16 << 20
  /// Never shut down: it lives as long as the process.
  private static let http = HTTPClient.checked(.singletonConfiguration)
  /// The cure where somebody else answers.
  private static let seeWhoAnswers = "see whether this is RabbitMQ's management API"

  /// Why there is no answer.
  struct Problem: Error {
    let text: String
    let cure: String
  }

  /// The answer at a path such as `/api/nodes`, and what the broker's clock said, to the second.
  func get<Answer: Decodable>(_ path: String, as _: Answer.Type = Answer.self) async throws(Problem) -> (Answer, Date?)
  {
    let (response, body) = try await ask(path)
    try check(response.status, path)
    do {
      let answer = try JSONDecoder().decode(Answer.self, from: Data(body.readableBytesView))
      return (answer, response.headers.first(name: "Date").flatMap(Self.date))
    } catch {
      throw Problem(text: "\(path) is not understood", cure: Self.seeWhoAnswers)
    }
  }

  private func ask(_ path: String) async throws(Problem) -> (HTTPClientResponse, ByteBuffer) {
    do {
      var request = HTTPClientRequest(url: address.url.absoluteString + path)
      let credentials = Data("\(user):\(password)".utf8).base64EncodedString()
      request.headers.add(name: "Authorization", value: "Basic \(credentials)")
      return try await within(patience, orThrow: { HTTPClientError.deadlineExceeded }) { [request] in
        let response = try await Self.http.execute(request, deadline: .distantFuture)
        return (response, try await response.body.collect(upTo: Self.largest))
      }
    } catch let status as ImpossibleStatus {
      throw Problem(text: "\(address.url): \(status)", cure: Self.seeWhoAnswers)
    } catch {
      throw Problem(
        text: "\(address.url) gives no answer",
        cure: "correct the address, or enable the plugin (rabbitmq-plugins enable rabbitmq_management)")
    }
  }

  private func check(_ status: HTTPResponseStatus, _ path: String) throws(Problem) {
    switch status.code {
    case 200: return
    case 401, 403:
      let tag = "give it the tag (rabbitmqctl set_user_tags \(user) monitoring)"
      throw Problem(
        text: "the user \(user) may not see \(path)", cure: "name another one in TELLER_MANAGEMENT_URL, or \(tag)")
    default: throw Problem(text: "\(path): \(status)", cure: Self.seeWhoAnswers)
    }
  }

  /// `Sun, 29 Nov 2026 03:10:00 GMT` (RFC 9110, section 5.6.7).
  private static func date(_ text: String) -> Date? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.date(from: text)
  }
}
