import Decisions
import Foundation
import HTTPTypes
import Hummingbird
import JobModel
import Logging
import NIOCore
import Teller

/// What changes something: actions, sign-ins, sign-outs.
struct Changes: Sendable {
  let settings: PageSettings
  let client: TellerClient
  let doorkeeper: Doorkeeper
  let forms: Forms
  let screens: [String: PageScreen]
  let hub: Hub
  let logger: Logger

  func answer(
    _ path: [String], _ request: Request, _ asked: PageRequest, _ source: RequestSource
  ) async throws -> PageAnswer {
    if let refusal = OriginRule.refusal(ofChange: asked.claim, own: source.origin) {
      throw PageProblem.forbidden(refusal)
    }
    guard asked.isJSON else {
      throw PageProblem(status: 415, code: "invalid", message: "a change is JSON: send Content-Type: application/json")
    }
    let visitor = doorkeeper.visitor(asked.secrets, from: source)
    if let wait = doorkeeper.wait(of: visitor, isAction: true) { throw PageProblem.tooManyRequests(wait) }
    switch (path.first, path.count) {
    case ("sign-in", 1): return try await signIn(try await content(request, asked), source, visitor)
    case ("sign-out", 1): return signOut(asked, source)
    case ("actions", 2), ("screens", 3): return try await act(path, request, asked, visitor)
    default: throw PageProblem.notFound
    }
  }

  /// The body, as far as it is read.
  private func content(_ request: Request, _ asked: PageRequest) async throws -> Data {
    let limit = settings.limits.body
    if let length = asked.contentLength, length > limit { throw PageProblem.tooLarge(limit: limit) }
    do {
      return Data((try await request.body.collect(upTo: limit)).readableBytesView)
    } catch is NIOTooManyBytesError {
      throw PageProblem.tooLarge(limit: limit)
    } catch {
      // The connection has ended, or was too slow: nobody reads the answer.
      throw PageProblem.invalid("the body did not arrive")
    }
  }

  // MARK: Actions

  private func act(
    _ path: [String], _ request: Request, _ asked: PageRequest, _ visitor: Doorkeeper.Visitor
  ) async throws -> PageAnswer {
    guard let person = visitor.person else { throw PageProblem.signIn }
    if settings.isReadOnly { throw PageProblem.readOnly }
    guard person.role == .operator else { throw PageProblem.viewer }
    let content = try await content(request, asked)
    let form = try JSONText.decode(FormBody.self, from: content)
    guard let work = try work(path, form, content, person) else { throw PageProblem.notFound }
    let name = path.dropFirst().joined(separator: "/")
    let text = Array("\(person.name)\n\(name)\n".utf8) + Array(content)
    do {
      let answer = try await forms.answer(form.id, content: Digest.sha256(of: text), work)
      logger.notice("\(person.name) did \(name)", metadata: ["form": "\(form.id)", "on": "\(form.shown)"])
      return .json(answer)
    } catch {
      logger.notice(
        "\(person.name) could not do \(name): \(PageProblem(error).message.onOneLine)", metadata: ["form": "\(form.id)"]
      )
      throw error
    }
  }

  /// Nil: there is no such action.
  private func work(
    _ path: [String], _ form: FormBody, _ content: Data, _ person: PagePerson
  ) throws -> (@Sendable () async throws -> [UInt8])? {
    let hub = hub
    let call = ActionCall(
      client: client, limits: settings.limits, logger: logger, person: person, form: form.id, content: content)
    if path[0] == "screens" {
      guard let action = screens[path[1]]?.actions[path[2]] else { return nil }
      let note = ActionNote(.screen, name: "\(path[1])/\(path[2])")
      return {
        let answer = try await action(PageAction(person: person, form: form.id, content: content))
        await call.record(note)
        await hub.changed()
        return try answer.printed
      }
    }
    guard let entry = Actions.all[path[1]] else { return nil }
    try form.check(entry.members)
    return {
      let answer = try await entry.run(call)
      await hub.changed()
      return answer
    }
  }

  // MARK: Sign-in

  private struct Token: Decodable { var token: String }

  private func signIn(
    _ content: Data, _ source: RequestSource, _ visitor: Doorkeeper.Visitor
  ) async throws -> PageAnswer {
    let token = try JSONText.decode(Token.self, from: content).token
    let machine = source.machine?.limited ?? "unknown"
    switch try await doorkeeper.signIn(token, from: machine) {
    case .accepted(let person, let secret):
      logger.notice("\(person.name) has signed in as \(person.role.rawValue)", metadata: ["machine": "\(machine)"])
      return cookie(secret, source)
    case .wrong:
      logger.warning("somebody has tried to sign in with a wrong token", metadata: ["machine": "\(machine)"])
      throw PageProblem(status: 401, code: "sign_in", message: "nobody has this token; copy all of it, and try again")
    case .tooMany(let wait):
      throw PageProblem.tooMany("too many wrong tokens were sent; try again in \(wait.inWords)", wait: wait)
    case .notNeeded: throw PageProblem.invalid("nobody signs in to this page: it has no tokens")
    }
  }

  private func signOut(_ asked: PageRequest, _ source: RequestSource) -> PageAnswer {
    doorkeeper.signOut(asked.secrets)
    return cookie("", source, age: "; Max-Age=0")
  }

  /// The secret is made of hexadecimal digits, and the path of the prefix: nothing of it was sent by anybody.
  private func cookie(_ secret: String, _ source: RequestSource, age: String = "") -> PageAnswer {
    var answer = PageAnswer.done
    let secure = source.isEncrypted ? "; Secure" : ""
    let value = "\(PageRequest.cookie)=\(secret); Path=\(settings.prefix)/; HttpOnly; SameSite=Strict\(secure)\(age)"
    answer.fields = [(.setCookie, value)]
    return answer
  }
}

/// What all actions have in their bodies.
struct FormBody: Decodable {
  /// The form's UUID: however often it is sent, it is one action.
  let id: UUID
  /// The names of the other members.
  let others: Set<String>

  init(from decoder: any Decoder) throws {
    var members = try [String: JSONValue](from: decoder)
    let text = members.removeValue(forKey: "form")
    guard case .string(let text)? = text, let id = JobID(text)?.uuid else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [FormKey.form], debugDescription: "it is a new UUID for each form"))
    }
    (self.id, others) = (id, Set(members.keys))
  }

  private enum FormKey: CodingKey { case form }

  /// For the log: which members it has, and not what they say.
  var shown: String { others.sorted().joined(separator: ", ") }

  /// Refuses members that the action does not have: one that is passed over in silence would be another action.
  func check(_ known: Set<String>) throws(PageProblem) {
    guard let other = others.subtracting(known).sorted().first else { return }
    throw .invalid("this action has no \"\(other.prefix(40))\"")
  }
}

extension PageProblem {
  static func tooManyRequests(_ wait: Duration) -> PageProblem {
    .tooMany("too many requests come from you; wait a moment", wait: wait)
  }
}
