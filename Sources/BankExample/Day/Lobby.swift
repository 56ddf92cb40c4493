import Teller

/// Follows the events, finds the customer or the step of each, and has the display show it.
actor Lobby {
  private let display: any Display
  private let customers: [JobID: Customer]
  /// The steps of the opening, by the ids of their jobs; the first events of a run may come before these are known.
  private var floor = Floor()
  /// When the opening began; later, when the bank was open.
  private var start = ContinuousClock.now
  /// The departments that have jobs of the day: before the bank is open, that of the opening, too.
  private var needed: Set<Department>
  /// The run of the opening; nil: the bank was open before.
  private var run: JobID?
  private let opened = AsyncStream<Void>.makeStream()

  init(display: any Display, customers: [Customer]) {
    self.display = display
    needed = Set(["init"] + customers.map(\.business.department))
    self.customers = Dictionary(customers.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Follows the events until the task is cancelled. Events are for the eye alone: nothing is decided by them.
  func follow(_ events: JobEvents) async throws {
    for try await event in events { heard(event) }
  }

  private func tell(_ news: News) {
    display.show(news, floor: floor, clock: clock)
  }

  /// Takes in how the plan of the opening stands before the day.
  func sees(_ plan: PlanDetails) {
    floor.opening.expects(plan)
    needed.insert(plan.department)
    floor.isOpen = plan.phase == .open
    if floor.isOpen { tell(.isOpenAlready) }
  }

  /// Takes in customers who come before the bank is open.
  func arrive(_ customers: [Customer]) {
    if customers.isEmpty { return }
    floor.entered(customers)
    tell(.waitAtDoor(customers))
  }

  /// Takes in that a run of the plan was accepted. It may have other steps than the last one.
  func began(_ run: JobID) {
    start = .now
    self.run = run
    tell(.opening)
  }

  /// Takes in how the run stands. When it is open already, its event may have come before it was known.
  func began(_ plan: PlanDetails) {
    floor.opening.expects(plan)
    if plan.phase == .open { seesOpened() }
  }

  private func seesOpened() {
    if !floor.isOpen { opens() }
    opened.continuation.yield()
  }

  /// Waits until the events have told that the bank is open: they come a little later than the answer.
  private func seeOpened(within limit: Duration) async {
    let seen = opened.stream
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in seen { return } }
      group.addTask { try? await Task.sleep(for: limit) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Lets customers in, and starts the clock again.
  ///
  /// - Parameters:
  ///   - customers: Those who come now.
  ///   - limit: How long to wait for the event that the bank is open.
  func open(for customers: [Customer], within limit: Duration) async {
    if run != nil { await seeOpened(within: limit) }
    needed = Set(self.customers.values.map(\.business.department))
    floor.obstacles.removeAll { $0.department.map { !needed.contains($0) } ?? false }
    if !floor.isOpen || run == nil { opens() }
    start = .now
    floor.entered(customers)
    tell(.entered(customers))
  }

  private func opens() {
    floor.isOpen = true
    tell(.opened)
  }

  /// Takes in what a coordinator has answered about the departments.
  func heard(_ departments: [DepartmentStatus]) { met(.met(in: departments, needed: needed)) }

  /// Takes in why a question has no answer.
  func unanswered(_ obstacle: Obstacle) { met(floor.obstacles.joined(by: obstacle)) }

  /// Each obstacle is told when it is new, and when it has passed.
  private func met(_ obstacles: [Obstacle]) {
    let before = floor.obstacles
    floor.obstacles = obstacles
    for obstacle in before where !obstacles.contains(obstacle) { tell(.passed(obstacle)) }
    for obstacle in obstacles where !before.contains(obstacle) { tell(.met(obstacle)) }
  }

  func tick() {
    if floor.isBusy { display.show(nil, floor: floor, clock: clock) }
  }

  /// Takes in the end of a customer's visit. It is told twice, by an event and by the outcome: the second is no news.
  func left(_ customer: Customer, failure: String?) {
    guard floor.ended(customer, well: failure == nil) else { return }
    tell(failure.map { .failed(customer, reason: $0) } ?? .served(customer))
  }

  private var clock: Duration { start.duration(to: .now) }

  private func heard(_ event: JobEvent) {
    if event.job == run, event.change == .succeeded {
      seesOpened()
    } else if let customer = event.job.flatMap({ customers[$0] }) {
      heard(event, about: customer)
    } else if let news = floor.opening.heard(event) {
      tell(news)
    }
  }

  private func heard(_ event: JobEvent, about customer: Customer) {
    switch event.change {
    case .started: if floor.started(customer) { tell(.started(customer)) }
    case .succeeded: left(customer, failure: nil)
    case .failed, .cancelled: left(customer, failure: event.failure?.description ?? event.change.name)
    default: break
    }
  }
}
