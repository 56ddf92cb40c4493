import Decisions
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// What a request says, as far as the page looks at it.
struct PageRequest: Sendable {
  var method: Route.Method
  /// The path, and what stands behind `?`.
  var target: String
  var peer: IPAddress?
  var hosts: [String]
  var forwarded = RequestSource.Forwarded()
  var claim = OriginRule.Claim()
  var contentType: String?
  var contentLength: Int?
  /// The values of the page's cookies.
  var secrets: [String]
  /// What a stream of live news has had last, as browsers say it when they connect again.
  var lastEvent: String?

  /// The cookie of a session.
  static let cookie = "teller"
  /// How many cookies of that name are looked at: a browser may have some of other paths.
  private static let mostSecrets = 4

  init(_ request: Request, from peer: SocketAddress?) {
    let headers = request.headers
    method = Route.Method(request.method)
    target = request.head.path ?? ""
    self.peer = peer.flatMap(\.ipAddress).flatMap { IPAddress($0) }
    hosts = [request.head.authority].compactMap(\.self) + PageRequest.all("Host", headers)
    forwarded = RequestSource.Forwarded(
      proto: PageRequest.all("X-Forwarded-Proto", headers), host: PageRequest.all("X-Forwarded-Host", headers),
      machines: PageRequest.all("X-Forwarded-For", headers))
    claim = OriginRule.Claim(
      fetchSite: PageRequest.all("Sec-Fetch-Site", headers), origin: PageRequest.all("Origin", headers))
    contentType = headers[.contentType]
    contentLength = headers[.contentLength].flatMap { Int($0) }
    secrets = PageRequest.secrets(PageRequest.all("Cookie", headers))
    lastEvent = PageRequest.all("Last-Event-ID", headers).first
  }

  private static func all(_ name: String, _ headers: HTTPFields) -> [String] {
    HTTPField.Name(name).map { headers[values: $0] } ?? []
  }

  private static func secrets(_ cookies: [String]) -> [String] {
    let pairs = cookies.flatMap { $0.split(separator: ";") }.map { String($0).trimmingSpaces }
    let own = pairs.filter { $0.hasPrefix("\(cookie)=") }.prefix(mostSecrets)
    return own.map { String($0.dropFirst(cookie.count + 1)) }
  }

  /// Whether the body says that it is JSON: a form of another page cannot say so.
  var isJSON: Bool {
    let type = contentType?.prefix { $0 != ";" }.lowercased()
    return type.map(\.trimmingSpaces) == PageAnswer.jsonType
  }
}

extension Route.Method {
  init(_ method: HTTPRequest.Method) {
    self =
      switch method {
      case .get: .get
      case .head: .head
      case .post: .post
      default: .other
      }
  }
}
