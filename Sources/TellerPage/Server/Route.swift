import Foundation

/// What a request is about, by its method and its target. Whatever has no case is not there.
enum Route: Hashable, Sendable {
  /// A file, by its path behind the prefix.
  case asset(String)
  /// The document of all addresses; `isKnown`: whether the page has something at this one.
  case page(isKnown: Bool)
  /// To the first address of the page.
  case home
  /// A question: the parts of its path behind `/api/`, and what stands behind `?`.
  case question([String], query: String)
  /// The stream of live news.
  case live(query: String)
  /// An action, or a screen's, or a sign-in: the parts of its path behind `/api/`.
  case change([String])
  case notFound
  /// The path is there, and not with this method.
  case otherMethod
  /// It is no address at all.
  case malformed

  /// The methods that the page knows.
  enum Method: Hashable, Sendable { case get, head, post, other }

  init(_ method: Method, _ target: String, prefix: String, screens: Set<String> = [], longest: Int = 4_096) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let query = parts.count == 2 ? String(parts[1]) : ""
    guard target.hasPrefix("/"), target.utf8.count <= longest, target.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      self = .malformed
      return
    }
    let path = String(parts[0])
    if path == prefix, !prefix.isEmpty {
      self = method == .get || method == .head ? .home : .otherMethod
    } else if path.hasPrefix(prefix + "/") {
      self.init(method, behindPrefix: String(path.dropFirst(prefix.count)), query, screens)
    } else {
      self = .notFound
    }
  }

  private init(_ method: Method, behindPrefix path: String, _ query: String, _ screens: Set<String>) {
    guard let parts = Route.parts(of: path) else {
      self = .malformed
      return
    }
    switch (parts.first, method) {
    case (_, .other): self = .otherMethod
    case ("api", .post): self = .change(Array(parts.dropFirst()))
    case (_, .post): self = .otherMethod
    case ("api", _) where parts == ["api", "live"]: self = method == .get ? .live(query: query) : .otherMethod
    case ("api", _): self = .question(Array(parts.dropFirst()), query: query)
    case ("assets", _): self = .asset(path)
    default: self = .page(isKnown: Route.isKnown(parts, screens))
    }
  }

  /// The parts of a path, without their percent signs; nil when one is written wrongly.
  private static func parts(of path: String) -> [String]? {
    var parts: [String] = []
    for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let part = String(part).removingPercentEncoding else { return nil }
      parts.append(part)
    }
    return parts
  }

  /// How many parts the addresses of the page have, by the first one.
  private static let known: [String: ClosedRange<Int>] = [
    "": 1...1, "departments": 1...2, "jobs": 1...2, "failed": 1...1, "plans": 1...2, "workers": 1...1,
    "schedules": 1...1, "keys": 1...1, "rejected": 1...1, "webhooks": 1...1, "report": 1...1, "actions": 1...1,
  ]

  private static func isKnown(_ parts: [String], _ screens: Set<String>) -> Bool {
    guard let first = parts.first else { return false }
    return screens.contains(first) || known[first]?.contains(parts.count) ?? false
  }
}
