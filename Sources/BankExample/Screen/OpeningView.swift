import Teller

extension Floor {
  /// The opening, as its events tell of it.
  struct Opening: Hashable, Sendable {
    /// How many steps the plan has.
    private(set) var steps = 0
    private(set) var done: Set<String> = []
    private(set) var passedOver: Set<String> = []
    /// The last piece of news.
    private(set) var last = ""
    private(set) var pushes = Pushes()

    /// How many pushes wait for their turn, are announced, and were acted on.
    struct Pushes: Hashable, Sendable {
      var waiting = 0
      var announced = 0
      var done = 0
    }

    /// Takes in which steps the plan has.
    mutating func expects(_ plan: PlanDetails) { steps = Set(plan.steps.filter { !$0.isEvent }.map(\.name)).count }

    /// Takes in an event; nil: it is no news of the opening.
    mutating func heard(_ event: JobEvent) -> News? {
      guard let name = event.name else { return nil }
      let news = event.name == BankExample.Opening.push.name ? heardOfPush(event) : heardOfStep(name, event)
      if let news { last = news.line }
      return news
    }

    private mutating func heardOfStep(_ name: String, _ event: JobEvent) -> News? {
      switch event.change {
      case .succeeded:
        let isNew = done.insert(name).inserted
        return isNew ? .stepDone(name) : .stepDoneAgain(name)
      case .wentBack: return .wentBack(name, reason: event.failure?.code ?? "")
      case .passedOver:
        passedOver.insert(name)
        return .passedOver(name, reason: event.failure?.description ?? "")
      default: return nil
      }
    }

    private mutating func heardOfPush(_ event: JobEvent) -> News? {
      switch event.change {
      case .received(.acted):
        if pushes.announced > 0 { pushes.announced -= 1 }
        pushes.waiting += 1
        return .pushTaken
      case .received(.kept):
        pushes.waiting += 1
        return .pushTaken
      case .received(.announced):
        pushes.announced += 1
        return .pushAnnounced
      case .succeeded:
        if pushes.waiting > 0 { pushes.waiting -= 1 }
        pushes.done += 1
        return .pushDone
      default: return nil
      }
    }
  }
}

extension Floor.Opening {
  /// The line of the opening.
  var line: String {
    let passed = passedOver.isEmpty ? "" : ", \(passedOver.count) passed over"
    return "\(done.count) of \(steps)\(passed)  \(last)"
  }

  /// The line of the pushes.
  var pushLine: String {
    let waiting = pushes.waiting > 0 ? "\(pushes.waiting) waiting · " : ""
    let announced = pushes.announced > 0 ? "\(pushes.announced) announced · " : ""
    return "\(waiting)\(announced)\(pushes.done) acted on"
  }
}
