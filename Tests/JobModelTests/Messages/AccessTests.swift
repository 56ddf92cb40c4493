import Testing

@testable import JobModel

@Suite("Access")
struct AccessTests {
  private let access = Access(
    users: [
      "w": .init(role: .worker, departments: ["loan", "init"]), "b": .init(role: .submittingWorker),
      "shop": .init(role: .producer, departments: ["letters"]), "ops": .init(role: .operator),
      "eye": .init(role: .monitor),
    ], coordinator: "boss")

  /// Which acts each may do at all.
  private static let table: [(user: String?, acts: Set<Access.Act>)] = [
    ("w", [.serve]), ("b", [.serve, .submit, .ask]), ("shop", [.submit, .ask]),
    ("ops", [.submit, .ask, .command, .readPayload]),
    ("eye", [.ask]), ("boss", []), ("somebody", []), ("", []), (nil, []),
  ]

  @Test("every role may do what is its own, and nobody else anything", arguments: table)
  func roles(user: String?, acts: Set<Access.Act>) {
    for act in [Access.Act.submit, .serve, .command, .ask, .readPayload] {
      let refusal = access.pass(of: user).refusal(of: act)
      #expect((refusal == nil) == acts.contains(act), "\(act)")
      #expect(refusal.map { $0.code == "not_allowed" } ?? true)
    }
  }

  @Test("departments bind workers and producers, and where none are named, all are meant")
  func departments() {
    let worker = access.pass(of: "w")
    #expect(worker.refusal(of: .serve, in: "loan") == nil && worker.refusal(of: .serve) == nil)
    #expect(
      worker.refusal(of: .serve, in: "letters")?.message
        == #"user "w" may not serve as a worker for department "letters"; `users:` in the coordinator's teller.yaml "#
        + "allows: init, loan")
    #expect(access.pass(of: "shop").refusal(of: .submit, in: "letters") == nil)
    #expect(access.pass(of: "shop").refusal(of: .submit, in: "loan") != nil)
    #expect(access.pass(of: "b").refusal(of: .serve, in: "loan") == nil)
    #expect(access.pass(of: "ops").refusal(of: .submit, in: "loan") == nil)
  }

  @Test("without users everything is the broker's to decide; only the coordinator's own is its own")
  func withoutUsers() {
    let open = Access(coordinator: "boss")
    for user in [nil, "", "anybody"] {
      #expect(open.pass(of: user).isUnlimited)
      for act in [Access.Act.submit, .serve, .command, .ask, .readPayload] {
        #expect(open.pass(of: user).refusal(of: act, in: "loan") == nil)
      }
      #expect(!open.isOwn(user))
    }
    #expect(open.isOwn("boss") && access.isOwn("boss") && !access.isOwn("w") && Access().isOwn(nil))
  }

  @Test("who sends a message without a name is told what to set; a long name is cut")
  func texts() {
    #expect(access.pass(of: nil).refusal(of: .ask)?.message.contains("set the property user_id") == true)
    let long = String(repeating: "x", count: 250)
    let text = access.pass(of: long).refusal(of: .ask)?.message ?? ""
    #expect(text.contains("is not under `users:`") && text.count < 200)
  }

  @Test("neighbours with one sender share a pass, and another sender has another one")
  func passes() {
    var passes = Passes(access)
    for user in ["w", "w", nil, nil, "shop", "w"] { #expect(passes.pass(of: user) == access.pass(of: user)) }
  }
}
