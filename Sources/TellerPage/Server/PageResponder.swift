import Foundation
import HTTPTypes
import Hummingbird
import JobModel
import Logging
import NIOCore
import Teller

/// Answers requests: who may not is refused before anything else is looked at.
struct PageResponder: HTTPResponder {
  let settings: PageSettings
  let assets: AssetTable
  let hosts: AllowedHosts
  let proxy: ProxyRule
  let doorkeeper: Doorkeeper
  let questions: Questions
  let changes: Changes
  let hub: Hub
  let screens: [String: PageScreen]
  let version: String
  let logger: Logger

  func respond(to request: Request, context: PageContext) async throws -> Response {
    let asked = PageRequest(request, from: context.channel.remoteAddress)
    do {
      return try await respond(to: request, asked)
    } catch {
      let problem = PageProblem(error)
      if problem.status == 500 { logger.error("a request has failed: \("\(error)".onOneLine)") }
      return PageAnswer(problem).response(isHead: asked.method == .head)
    }
  }

  private func respond(to request: Request, _ asked: PageRequest) async throws -> Response {
    guard let source = proxy.source(of: asked.peer, hosts: asked.hosts, forwarded: asked.forwarded) else {
      throw settings.proxy == nil
        ? PageProblem.otherHost : .forbidden("the page is reached by its proxy alone; ask for it there")
    }
    guard hosts.allow(source.host) else { throw PageProblem.otherHost }
    let route = Route(
      asked.method, asked.target, prefix: settings.prefix, screens: Set(screens.keys), longest: settings.limits.target)
    switch route {
    case .live(let query): return try live(query, request, asked, source)
    case .change(let path):
      let answer = try await changes.answer(path, request, asked, source)
      return answer.response(isHead: false)
    default: return try await answer(route, asked, source).response(isHead: asked.method == .head)
    }
  }

  private func answer(_ route: Route, _ asked: PageRequest, _ source: RequestSource) async throws -> PageAnswer {
    switch route {
    case .asset(let path):
      guard let file = assets[path], let type = file.contentType else { throw PageProblem.notFound }
      return PageAnswer(status: 200, contentType: type, cache: SecurityHeaders.forEver, body: file.bytes)
    case .page(let isKnown):
      return PageAnswer(status: isKnown ? 200 : 404, contentType: "text/html; charset=utf-8", body: assets.page)
    case .home: return PageAnswer(status: 308, contentType: nil, body: [], fields: [(.location, settings.prefix + "/")])
    case .question(let path, let query): return try await question(path, query, asked, source)
    case .otherMethod: throw PageProblem.otherMethod
    case .malformed: throw PageProblem.malformed
    case .notFound, .live, .change: throw PageProblem.notFound
    }
  }

  private func question(
    _ path: [String], _ query: String, _ asked: PageRequest, _ source: RequestSource
  ) async throws -> PageAnswer {
    if let refusal = OriginRule.refusal(ofQuestion: asked.claim) { throw PageProblem.forbidden(refusal) }
    let visitor = doorkeeper.visitor(asked.secrets, from: source)
    if let wait = doorkeeper.wait(of: visitor, isAction: false) { throw PageProblem.tooManyRequests(wait) }
    var query = try Query(query, limit: settings.limits.parameters)
    if path == ["me"] { return try me(visitor, query) }
    guard let person = visitor.person else { throw PageProblem.signIn }
    try doorkeeper.beginQuestion()
    defer { doorkeeper.endQuestion() }
    if path.first == "screens" { return try await screen(path, query, person) }
    guard let answer = try await questions.answer(path, &query, for: person) else { throw PageProblem.notFound }
    return answer
  }

  private func live(
    _ query: String, _ request: Request, _ asked: PageRequest, _ source: RequestSource
  ) throws -> Response {
    if let refusal = OriginRule.refusal(ofQuestion: asked.claim) { throw PageProblem.forbidden(refusal) }
    let visitor = doorkeeper.visitor(asked.secrets, from: source)
    if let wait = doorkeeper.wait(of: visitor, isAction: false) { throw PageProblem.tooManyRequests(wait) }
    guard visitor.person != nil else { throw PageProblem.signIn }
    var query = try Query(query, limit: settings.limits.parameters)
    let departments = try query.departments(atMost: HubLimits.departments)
    // A browser that connects again by itself knows better than the address that it began with.
    let after = try query.text("after")
    try query.end()
    return try LiveAnswer(
      hub: hub, doorkeeper: doorkeeper, departments: departments,
      position: (asked.lastEvent ?? after).flatMap { EventPosition($0) }, owner: visitor.owner
    ).response(to: request)
  }

  private func me(_ visitor: Doorkeeper.Visitor, _ query: Query) throws -> PageAnswer {
    try query.end()
    return try .json(Me(visitor, needsSignIn: doorkeeper.needsSignIn, settings: settings, version: version))
  }

  private func screen(_ path: [String], _ query: Query, _ person: PagePerson) async throws -> PageAnswer {
    guard path.count == 3, let answer = screens[path[1]]?.questions[path[2]] else { throw PageProblem.notFound }
    return .json(try await answer(PageQuestion(person: person, parameters: query.values)).printed)
  }
}

extension Encodable {
  /// As JSON, of a value whose type is not known here.
  var printed: [UInt8] { get throws { try PrintedJSON.bytes(self) } }
}

/// Who looks, as the page itself is told.
struct Me: Encodable, Hashable {
  var name: String?
  var role: PagePerson.Role?
  var signedIn: Bool
  var needsSignIn: Bool
  var version: String
  var payloads: Bool

  init(_ visitor: Doorkeeper.Visitor, needsSignIn: Bool, settings: PageSettings, version: String) {
    (name, role) = (visitor.person?.name, visitor.person?.role)
    signedIn = visitor.session != nil
    self.needsSignIn = needsSignIn && visitor.person == nil
    self.version = version
    payloads = settings.showsPayloads
  }

  /// The role is null for somebody who has not signed in.
  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(name, forKey: .name)
    try members.encode(role, forKey: .role)
    try members.encode(signedIn, forKey: .signedIn)
    try members.encode(needsSignIn, forKey: .needsSignIn)
    try members.encode(version, forKey: .version)
    try members.encode(payloads, forKey: .payloads)
  }

  private enum CodingKeys: CodingKey { case name, role, signedIn, needsSignIn, version, payloads }
}
