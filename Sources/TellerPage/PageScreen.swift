public import Foundation
public import JobModel

/// A screen of a program's own on the page: a script for browsers, and the questions and actions that it has.
///
///     var screen = PageScreen(path: "bank", title: "Bank", script: script, style: style)
///     screen.answer("day") { _ in try await bank.day() }                // GET  /api/screens/bank/day
///     screen.carryOut("add") { action in                                // POST /api/screens/bank/add
///       let order = try action.body(as: Order.self)
///       return try await bank.add(order.customers, by: action.form)
///     }
///
/// The script is a module of JavaScript, and exports `async function show(main, app)`. It may have modules beside it, which
/// it imports by their names: `import { Day } from './day.js'`. What a question or an action gives is sent as JSON, its
/// members in snake case.
public struct PageScreen: Sendable {
  /// Answers a question.
  public typealias Answer = @Sendable (PageQuestion) async throws -> any Encodable & Sendable
  /// Carries out an action.
  public typealias CarryOut = @Sendable (PageAction) async throws -> any Encodable & Sendable

  /// Where the screen is: `bank` for `/bank`. Small letters, digits and `-`.
  public let path: String
  /// What the page calls it.
  public let title: String
  /// What browsers load: `PATH.js`, `PATH.css` if there is a style, and the modules.
  let files: [PageFile]
  let hasStyle: Bool
  private(set) var questions: [String: Answer] = [:]
  private(set) var actions: [String: CarryOut] = [:]

  /// A screen without questions and actions.
  ///
  /// - Parameters:
  ///   - path: Where the screen is. A path that is not valid, or of the page's own, is a mistake in the source, and stops the
  ///     program.
  ///   - title: What the page calls it.
  ///   - script: A module of JavaScript.
  ///   - style: A stylesheet; nil: none.
  ///   - modules: Further modules, which the script and they themselves import, by their names, such as `day.js`: small
  ///     letters, digits and `-` before `.js`. The script itself is `PATH.js`, and no module has its name.
  public init(
    path: String, title: String, script: [UInt8], style: [UInt8]? = nil, modules: [String: [UInt8]] = [:]
  ) {
    precondition(ScreenPath.isValid(path), "\"\(path)\" is no path of a screen, or the page's own")
    for name in modules.keys {
      precondition(ScreenPath.isModule(name) && name != "\(path).js", "\"\(name)\" is no name of a module")
    }
    let further = modules.sorted { $0.key < $1.key }.map { PageFile(name: $0.key, bytes: $0.value) }
    files =
      [PageFile(name: "\(path).js", bytes: script)] + further
      + (style.map { [PageFile(name: "\(path).css", bytes: $0)] } ?? [])
    (self.path, self.title, hasStyle) = (path, title, style != nil)
  }

  /// Answers `GET /api/screens/PATH/NAME`. Everybody may ask who may look at the page.
  ///
  /// - Parameters:
  ///   - name: Small letters, digits and `-`.
  ///   - answer: Gives what is sent. A ``PageRefusal`` is told to the person; other errors as the page tells them.
  public mutating func answer(_ name: String, _ answer: @escaping Answer) {
    precondition(ScreenPath.hasValidForm(name), "\"\(name)\" is no name of a question")
    questions[name] = answer
  }

  /// Carries out `POST /api/screens/PATH/NAME`. Only operators may ask for that. A form that is sent again gets the first
  /// answer again.
  ///
  /// - Parameters:
  ///   - name: Small letters, digits and `-`.
  ///   - carryOut: Gives what is sent. A ``PageRefusal`` is told to the person; other errors as the page tells them.
  public mutating func carryOut(_ name: String, _ carryOut: @escaping CarryOut) {
    precondition(ScreenPath.hasValidForm(name), "\"\(name)\" is no name of an action")
    actions[name] = carryOut
  }
}

/// A question of a screen.
public struct PageQuestion: Sendable {
  /// Who asks.
  public let person: PagePerson
  /// What stands behind the `?` of the address, by name.
  public let parameters: [String: [String]]

  /// The only value of a parameter; nil: it has none, or several.
  public func parameter(_ name: String) -> String? {
    let values = parameters[name] ?? []
    return values.count == 1 ? values[0] : nil
  }
}

/// An action of a screen.
public struct PageAction: Sendable {
  /// Who acts.
  public let person: PagePerson
  /// The form that was sent. However often it is sent, it is one action: ids that are made from it are the same each time.
  public let form: UUID
  let content: Data

  /// Reads what was sent.
  ///
  /// - Throws: when it is no JSON, or not of that type. The page tells the person.
  public func body<Body: Decodable>(as type: Body.Type = Body.self) throws -> Body {
    try JSONText.decode(type, from: content)
  }

  /// An id that follows from the form and a name: the same each time that the form is sent.
  public func id(_ name: String) -> JobID { JobID(form: form, as: name) }
}

/// Who looks at the page.
public struct PagePerson: Hashable, Sendable {
  /// The name of the token that the person has signed in with; `local` where nobody signs in.
  public let name: String
  /// What the person may do.
  public let role: Role

  /// What a person may do.
  public enum Role: String, Hashable, Sendable, Codable, CaseIterable {
    /// Look.
    case viewer
    /// Look, and change what the page can change.
    case `operator`
  }

  init(name: String, role: Role) { (self.name, self.role) = (name, role) }
}

/// Why a screen does not answer, or not act. The person reads it.
public struct PageRefusal: Error, Hashable, Sendable {
  /// A short, stable word.
  public let code: String
  /// One sentence: what is wrong, and what to do.
  public let message: String

  /// A refusal with its code and its message.
  public init(code: String, message: String) { (self.code, self.message) = (code, message) }
}
