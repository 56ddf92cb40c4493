import Decisions
import Foundation
import JobModel
import Teller
import TestSupport
import Testing

@testable import TellerPage

@Suite("Tokens and sessions")
struct PeopleTests {
  private let now = ContinuousClock.now

  private func problem(_ text: String) -> String? {
    do throws(ConfigurationError) {
      _ = try Tokens(text, file: "tokens")
      return nil
    } catch {
      return error.description
    }
  }

  @Test("a token names its person, whatever the digits' case is")
  func tokens() throws {
    let text = People.line("anna", "operator", "a") + "\r\n#" + People.line("otto", "viewer", "b").uppercased() + "\n"
    let tokens = try Tokens(text, file: "tokens")
    #expect(tokens.person(of: "a") == PagePerson(name: "anna", role: .operator))
    for token in ["b", "", "A", "a ", String(repeating: "a", count: 5_000)] { #expect(tokens.person(of: token) == nil) }
  }

  @Test("the file comes from any editor, and everybody in it has access", arguments: Editor.allCases)
  func editors(editor: Editor) throws {
    let folder = try TemporaryFolder()
    let file = folder.appending("tokens")
    let lines = [
      "# the people of the page", People.line("anna", "operator", "a") + " # since May", "",
      People.line("ben", "viewer", "b"),
    ].map { $0.trimmingCharacters(in: .newlines) }
    try Data(editor.save(lines)).write(to: file)
    let tokens = try Tokens(file: file.path)
    #expect(tokens.person(of: "a") == PagePerson(name: "anna", role: .operator))
    #expect(tokens.person(of: "b") == PagePerson(name: "ben", role: .viewer))
  }

  @Test("a file that is no text in UTF-8 is refused by what it is")
  func refused() throws {
    for (bytes, reason) in Editor.refused([People.line("anna", "operator", "a")]) {
      let folder = try TemporaryFolder()
      let file = folder.appending("tokens")
      try Data(bytes).write(to: file)
      let error = #expect(throws: ConfigurationError.self) { try Tokens(file: file.path) }
      #expect(error?.description.contains(reason) == true)
    }
  }

  @Test("a wrong line is told with its number, and no digest is shown")
  func wrongLines() throws {
    let digest = String(repeating: "ab", count: 32)
    #expect(problem("") == "tokens cannot be read: it has no token: write a line NAME ROLE SHA256")
    #expect(problem("# all\n\nanna operator")?.hasPrefix("tokens:3: ") == true)
    #expect(problem("anna king \(digest)")?.contains("viewer or operator") == true)
    for wrong in [String(digest.dropLast()), digest + "0", digest.replacing("a", with: "g")] {
      let problem = try #require(self.problem("anna viewer \(wrong)"))
      #expect(problem.contains("sha256sum") && !problem.contains(wrong))
    }
    #expect(problem("\(String(repeating: "x", count: 101)) viewer \(digest)") != nil)
    #expect(problem("an:na viewer \(digest)")?.contains("letters and digits") == true)
  }

  @Test("a file that everybody may write is refused, and one that everybody may read is told of")
  func modes() throws {
    let folder = try TemporaryFolder()
    let file = try People.file(in: folder)
    _ = try Tokens(file: file)
    #expect(Tokens.warning(of: file) == nil)
    func set(_ mode: Int) throws {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    }
    try set(0o644)
    #expect(Tokens.warning(of: file)?.contains("chmod o-r") == true)
    try set(0o646)
    #expect(throws: ConfigurationError.self) { try Tokens(file: file) }
    #expect(throws: ConfigurationError.self) { try Tokens(file: file + ".missing") }
  }

  @Test("a session lasts its time, and for the browser alone that has its secret")
  func sessions() {
    var sessions = Sessions(limit: 10, limitOfPerson: 10, life: .seconds(60))
    let anna = PagePerson(name: "anna", role: .operator)
    sessions.begin(anna, secret: "s", now: now)
    #expect(sessions.session("s", now: now)?.person == anna)
    for secret in ["", "t", "S"] { #expect(sessions.session(secret, now: now) == nil) }
    #expect(sessions.session("s", now: now + .seconds(60)) == nil)
    sessions.end("s")
    #expect(sessions.session("s", now: now) == nil)
    sessions.end("s")
    #expect(sessions.count == 0)
  }

  @Test("there are never more sessions than there may be: the oldest ends")
  func sessionLimit() {
    var sessions = Sessions(limit: 3, limitOfPerson: 10, life: .seconds(60))
    let anna = PagePerson(name: "anna", role: .operator)
    for number in 0..<10 { sessions.begin(anna, secret: "\(number)", now: now + .seconds(number)) }
    #expect(sessions.count == 3)
    #expect(sessions.session("6", now: now + .seconds(9)) == nil)
    #expect(sessions.session("7", now: now + .seconds(9)) != nil)
    sessions.begin(anna, secret: "x", now: now + .seconds(1_000))
    #expect(sessions.count == 1)
  }

  @Test("whoever signs in again and again ends own sessions alone")
  func sessionsOfPerson() {
    var sessions = Sessions(limit: 10, limitOfPerson: 2, life: .seconds(60))
    let (anna, otto) = (PagePerson(name: "anna", role: .operator), PagePerson(name: "otto", role: .viewer))
    sessions.begin(otto, secret: "o", now: now)
    for number in 0..<20 { sessions.begin(anna, secret: "\(number)", now: now) }
    #expect(sessions.count == 3 && sessions.session("o", now: now)?.person == otto)
    #expect(sessions.session("17", now: now) == nil && sessions.session("18", now: now) != nil)
  }

  @Test("a secret has 256 random bits")
  func secret() {
    var generator = SystemRandomNumberGenerator()
    let secrets = (0..<100).map { _ in Sessions.secret(using: &generator) }
    #expect(Set(secrets).count == 100)
    #expect(secrets.allSatisfy { $0.count == 64 && $0.allSatisfy(\.isHexDigit) })
  }
}

@Suite("Limits of what one may send")
struct RateTests {
  private let now = ContinuousClock.now

  @Test("a few wrong tokens, and then a wait; others may still try, however many there were")
  func tries() {
    var tries = SignInTries(limit: 3, remembered: 5, within: .seconds(60))
    for second in 0..<3 {
      #expect(tries.wait(of: "a", now: now + .seconds(second)) == nil)
      tries.failed("a", now: now + .seconds(second))
    }
    #expect(tries.wait(of: "a", now: now + .seconds(10)) == .seconds(50))
    #expect(tries.wait(of: "b", now: now + .seconds(10)) == nil)
    tries.failed("b", now: now + .seconds(10))
    tries.failed("c", now: now + .seconds(10))
    #expect(tries.wait(of: "d", now: now + .seconds(10)) == nil)
    #expect(tries.wait(of: "a", now: now + .seconds(60)) == nil)
    for _ in 0..<100 { tries.failed("e", now: now + .seconds(70)) }
    #expect(tries.wait(of: "e", now: now + .seconds(70)) == .seconds(60))
    #expect(tries.wait(of: "d", now: now + .seconds(70)) == nil)
  }

  @Test("many requests in one go, and so many a second in the long run")
  func requests() throws {
    var rates = RequestRates(burst: 10, perSecond: 2)
    for _ in 0..<10 { #expect(rates.wait(of: "a", now: now) == nil) }
    #expect(rates.wait(of: "a", now: now) == .milliseconds(500))
    #expect(rates.wait(of: "b", now: now) == nil)
    #expect(rates.wait(of: "a", now: now + .milliseconds(500)) == nil)
    #expect(rates.wait(of: "a", now: now + .milliseconds(500)) != nil)
    for _ in 0..<10 { #expect(rates.wait(of: "a", now: now + .seconds(3_600)) == nil) }
    #expect(rates.wait(of: "a", now: now + .seconds(3_600)) != nil)
  }

  @Test("so many clients are remembered, and no more")
  func clients() {
    var rates = RequestRates(burst: 2, perSecond: 1)
    for _ in 0..<3 { _ = rates.wait(of: "greedy", now: now) }
    for number in 0..<3 * RequestRates.mostClients { #expect(rates.wait(of: "\(number)", now: now) == nil) }
    #expect(rates.wait(of: "x", now: now) == nil)
    #expect(rates.wait(of: "greedy", now: now) != nil, "many others do not give it a new start")
  }

  @Test(
    "limits are of a machine: of IPv6, of its network",
    arguments: [
      ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("127.0.0.1", nil), ("::1", nil),
      ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
      ("2001:db8:1:3::9", "2001:db8:1:3::/64"),
    ])
  func machines(_ address: String, _ limited: String?) {
    let source = RequestSource(machine: IPAddress(address), host: "x", isEncrypted: false)
    #expect(source.limited == limited)
  }

  @Test("so many questions may be under way at once; one that ends makes room")
  func questions() throws {
    var settings = PageSettings()
    settings.limits.questionsAtOnce = 2
    let doorkeeper = Doorkeeper(settings, tokens: nil)
    for _ in 0..<2 { try doorkeeper.beginQuestion() }
    #expect(throws: PageProblem.self) { try doorkeeper.beginQuestion() }
    doorkeeper.endQuestion()
    try doorkeeper.beginQuestion()
  }

  @Test("streams: of one session, of one machine, of all")
  func streams() {
    var limits = PageLimits()
    (limits.streams, limits.streamsOfSession, limits.streamsOfMachine) = (4, 2, 3)
    var counts = StreamCounts(limits)
    let (anna, otto) = (
      StreamCounts.Owner(session: [1], machine: "m"), StreamCounts.Owner(session: [2], machine: "m")
    )
    #expect(counts.begin(anna) == nil && counts.begin(anna) == nil)
    #expect(counts.begin(anna)?.contains("you have 2") == true)
    #expect(counts.begin(otto) == nil)
    #expect(counts.begin(otto)?.contains("your machine") == true)
    #expect(counts.begin(StreamCounts.Owner()) == nil)
    #expect(counts.begin(StreamCounts.Owner())?.contains("4 streams") == true)
    counts.end(anna)
    #expect(counts.begin(otto) == nil)
    #expect(counts.count == 4)
  }
}
