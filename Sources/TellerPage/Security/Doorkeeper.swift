import Decisions
import JobModel
import Synchronization
import Teller

/// Lets people in, and keeps the numbers of what they send within the limits.
final class Doorkeeper: Sendable {
  private struct State {
    var sessions: Sessions
    var tries: SignInTries
    var requests: RequestRates
    var actions: RequestRates
    var streams: StreamCounts
    var questions = 0
  }

  /// Nil: nobody signs in.
  private let tokens: TokenFile?
  private let isReadOnly: Bool
  private let questionsAtOnce: Int
  private let state: Mutex<State>

  init(_ settings: PageSettings, tokens: TokenFile?) {
    let limits = settings.limits
    self.tokens = tokens
    (isReadOnly, questionsAtOnce) = (settings.isReadOnly, limits.questionsAtOnce)
    state = Mutex(
      State(
        sessions: Sessions(limit: limits.sessions, limitOfPerson: limits.sessionsOfPerson, life: limits.sessionLife),
        tries: SignInTries(limit: limits.tries, remembered: limits.triesRemembered, within: limits.triesTime),
        requests: RequestRates(burst: limits.requests, perSecond: limits.requestsPerSecond),
        actions: RequestRates(burst: limits.actions, perSecond: limits.actionsPerSecond),
        streams: StreamCounts(limits)))
  }

  var needsSignIn: Bool { tokens != nil }

  /// Who sends a request.
  struct Visitor: Sendable {
    /// Nil: nobody who has signed in, where people must.
    var person: PagePerson?
    var session: Sessions.ID?
    /// The machine of the network; nil: a program of this machine, or unknown.
    var machine: String?

    /// Whose number of requests it counts for.
    var client: String { session.map { $0.map(\.twoHexDigits).joined() } ?? machine ?? "local" }
    var owner: StreamCounts.Owner { StreamCounts.Owner(session: session, machine: machine) }
  }

  /// Who sends a request with these secrets: a browser may have cookies of an earlier session, too.
  func visitor(_ secrets: [String], from source: RequestSource) -> Visitor {
    let machine = source.limited
    guard needsSignIn else { return Visitor(person: withRights(PageServer.local), session: nil, machine: machine) }
    let session = state.withLock { state in
      let sessions = state.sessions
      return secrets.lazy.compactMap { sessions.session($0, now: .now) }.first
    }
    return Visitor(person: session.map { withRights($0.person) }, session: session?.id, machine: machine)
  }

  private func withRights(_ person: PagePerson) -> PagePerson {
    isReadOnly ? PagePerson(name: person.name, role: .viewer) : person
  }

  /// The end of a try to sign in.
  enum SignIn: Sendable {
    /// With the secret of the session.
    case accepted(PagePerson, secret: String)
    case wrong
    case tooMany(wait: Duration)
    /// There are no tokens.
    case notNeeded
  }

  /// - Throws: `CancellationError`, or that no thread can be started.
  func signIn(_ token: String, from machine: String) async throws -> SignIn {
    // A file system that hangs holds up no shared thread.
    let present = try await OneShot.onThread(named: "teller-tokens") { [self] in readTokens() }
    guard let tokens = present else { return .notNeeded }
    var generator = SystemRandomNumberGenerator()
    let secret = Sessions.secret(using: &generator)
    return state.withLock { state in
      if let wait = state.tries.wait(of: machine, now: .now) { return .tooMany(wait: wait) }
      guard let person = tokens.person(of: token) else {
        state.tries.failed(machine, now: .now)
        return .wrong
      }
      state.sessions.begin(person, by: Tokens.id(of: token), secret: secret, now: .now)
      return .accepted(withRights(person), secret: secret)
    }
  }

  /// Reads the tokens again: the sessions of those that are gone end. Nil: nobody signs in. Blocks the calling thread, for a
  /// few seconds at most.
  @discardableResult
  func readTokens() -> Tokens? {
    guard let (tokens, isNew) = tokens?.read() else { return nil }
    if isNew { state.withLock { $0.sessions.endOthers(than: tokens.ids) } }
    return tokens
  }

  /// Whether a stream of that session may go on: its person has not signed out, and its time is not over.
  func isIn(_ session: Sessions.ID?) -> Bool {
    guard needsSignIn else { return true }
    return session.map { id in state.withLock { $0.sessions.lasts(id, now: .now) } } ?? false
  }

  func signOut(_ secrets: [String]) {
    state.withLock { state in for secret in secrets { state.sessions.end(secret) } }
  }

  /// Counts a request; gives how long to wait before another one when there are too many.
  func wait(of visitor: Visitor, isAction: Bool) -> Duration? {
    state.withLock { state in
      state.requests.wait(of: visitor.client, now: .now)
        ?? (isAction ? state.actions.wait(of: visitor.client, now: .now) : nil)
    }
  }

  /// Counts a question that is to begin, if it may. Whoever began one ends it.
  func beginQuestion() throws(PageProblem) {
    let isFull = state.withLock { state in
      if state.questions >= questionsAtOnce { return true }
      state.questions += 1
      return false
    }
    if isFull {
      throw .tooMany("\(questionsAtOnce) questions are under way; wait for some of them", wait: .seconds(1))
    }
  }

  func endQuestion() { state.withLock { $0.questions -= 1 } }

  /// Counts a stream that is to begin; gives why it may not.
  func beginStream(_ owner: StreamCounts.Owner) -> String? { state.withLock { $0.streams.begin(owner) } }

  func endStream(_ owner: StreamCounts.Owner) { state.withLock { $0.streams.end(owner) } }

  /// How many streams are open.
  var streams: Int { state.withLock { $0.streams.count } }
}
