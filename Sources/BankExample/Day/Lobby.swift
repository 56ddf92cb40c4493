import Teller

/// Follows the events, finds the customer or the step of each, and has the display show it.
actor Lobby {
  private let display: any Display
  private var steps: [JobID: String] = [:]
  private let customers: [JobID: Customer]
  private var floor = Floor()
  /// When the opening began; later, when the customers came in.
  private var start = ContinuousClock.now
  /// The departments that have jobs of the day: before the customers come, the department of the opening, too.
  private var needed: Set<Department>

  init(display: any Display, opening: Department, customers: [Customer]) {
    self.display = display
    needed = Set([opening] + customers.map(\.business.department))
    self.customers = Dictionary(customers.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Follows the events until the task is cancelled. Events are for the eye alone: nothing is decided by them.
  func follow(_ events: JobEvents) async throws {
    for try await event in events { heard(event) }
  }

  private func tell(_ news: News) {
    display.show(news, floor: floor, clock: clock)
  }

  /// Takes in that the plan of the opening was submitted.
  func began(_ plan: PlanHandle) {
    steps = Dictionary(plan.steps.map { (plan.id(ofStep: $0), $0) }, uniquingKeysWith: { first, _ in first })
    tell(.opening(steps: plan.steps))
  }

  /// Lets the customers in, and starts the clock again.
  func open(for customers: [Customer]) {
    needed = Set(customers.map(\.business.department))
    floor.obstacles.removeAll { $0.department.map { !needed.contains($0) } ?? false }
    tell(.opened)
    start = .now
    floor.entered(customers)
    tell(.entered(customers))
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
    if let customer = customers[event.job] {
      heard(event, about: customer)
    } else if let step = steps[event.job], event.change == .succeeded, floor.ended(step: step) {
      tell(.stepDone(step))
    }
  }

  private func heard(_ event: JobEvent, about customer: Customer) {
    switch event.change {
    case .started: if floor.started(customer) { tell(.started(customer)) }
    case .succeeded: left(customer, failure: nil)
    case .failed, .cancelled: left(customer, failure: event.failure?.description ?? event.change.name)
    case .other: break
    }
  }
}
