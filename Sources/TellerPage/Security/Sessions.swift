import DequeModule
import JobModel

/// Who has signed in. A pure value; the secrets of the sessions are in the browsers alone, and their digests here.
struct Sessions: Sendable {
  /// Names a session; nobody can make its secret from it.
  typealias ID = [UInt8]

  private struct Session {
    let person: PagePerson
    let token: Tokens.ID
    let ends: ContinuousClock.Instant
  }

  /// How many bytes of a session's secret are random.
  static let secretBytes = 32

  let limit: Int
  let limitOfPerson: Int
  let life: Duration
  private var sessions: [ID: Session] = [:]
  /// The oldest first.
  private var order: Deque<ID> = []

  init(limit: Int, limitOfPerson: Int, life: Duration) {
    (self.limit, self.limitOfPerson, self.life) = (limit, limitOfPerson, life)
  }

  var count: Int { sessions.count }

  /// Begins a session. When there are too many, the oldest one ends; when that person has too many, the oldest of them. So
  /// nobody ends the sessions of others. `secret`: hexadecimal digits, for the browser's cookie.
  mutating func begin(_ person: PagePerson, by token: Tokens.ID = [], secret: String, now: ContinuousClock.Instant) {
    forgetEnded(now)
    let own = order.filter { sessions[$0]?.person == person }
    if own.count >= limitOfPerson, let oldest = own.first { forget(oldest) }
    while sessions.count >= limit, let oldest = order.first { forget(oldest) }
    let id = Sessions.id(of: secret)
    sessions[id] = Session(person: person, token: token, ends: now + life)
    order.append(id)
  }

  /// The session with that secret, and who began it; nil: there is none, or its time is over.
  func session(_ secret: String, now: ContinuousClock.Instant) -> (id: ID, person: PagePerson)? {
    let id = Sessions.id(of: secret)
    guard let session = sessions[id], now < session.ends else { return nil }
    return (id, session.person)
  }

  /// Whether that session goes on.
  func lasts(_ id: ID, now: ContinuousClock.Instant) -> Bool { sessions[id].map { now < $0.ends } ?? false }

  /// Ends a session; one that has ended already is left so.
  mutating func end(_ secret: String) {
    let id = Sessions.id(of: secret)
    if sessions[id] != nil { forget(id) }
  }

  /// Ends the sessions of all other tokens.
  mutating func endOthers(than tokens: Set<Tokens.ID>) {
    for id in order where sessions[id].map({ !tokens.contains($0.token) }) ?? true { sessions[id] = nil }
    order.removeAll { sessions[$0] == nil }
  }

  private mutating func forget(_ id: ID) {
    sessions[id] = nil
    order.removeAll { $0 == id }
  }

  /// A new secret.
  static func secret(using generator: inout some RandomNumberGenerator) -> String {
    (0..<secretBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator).twoHexDigits }.joined()
  }

  private static func id(of secret: String) -> ID { Digest.sha256(of: Array(secret.utf8)) }

  /// All sessions last equally long: the first ones end first.
  private mutating func forgetEnded(_ now: ContinuousClock.Instant) {
    while let first = order.first, let session = sessions[first], session.ends <= now {
      sessions[first] = nil
      order.removeFirst()
    }
  }
}

extension UInt8 {
  /// `0a`.
  var twoHexDigits: String {
    let digits = String(self, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }
}
