import Teller

/// Follows the events, finds the customer or the step of each, and has the display show it.
actor Lobby {
  private let display: any Display
  private let steps: [JobID: String]
  private let customers: [JobID: Customer]
  private var floor = Floor()
  /// When the opening began; later, when the customers came in.
  private var start = ContinuousClock.now

  init(display: any Display, plan: PlanHandle, customers: [Customer]) {
    self.display = display
    steps = Dictionary(plan.steps.map { (plan.id(ofStep: $0), $0) }, uniquingKeysWith: { first, _ in first })
    self.customers = Dictionary(customers.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Follows the events until the task is cancelled. Events are for the eye alone: nothing is decided by them.
  func follow(_ events: JobEvents) async throws {
    for try await event in events { heard(event) }
  }

  func tell(_ news: News) {
    display.show(news, floor: floor, clock: clock)
  }

  /// Lets the customers in, and starts the clock again.
  func open(for customers: [Customer]) {
    tell(.opened)
    start = .now
    floor.entered(customers)
    tell(.entered(customers))
  }

  func tick() {
    if floor.isBusy { display.show(nil, floor: floor, clock: clock) }
  }

  /// Takes in a customer's outcome, which an event may have told before.
  func ended(_ customer: Customer, _ outcome: Outcome) {
    guard floor.ended(customer, well: outcome.failure == nil) else { return }
    tell(outcome.failure.map { .failed(customer, reason: $0.description) } ?? .served(customer))
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
    case .succeeded: if floor.ended(customer, well: true) { tell(.served(customer)) }
    case .failed, .cancelled:
      guard floor.ended(customer, well: false) else { return }
      tell(.failed(customer, reason: event.failure?.description ?? event.change.name))
    case .other: break
    }
  }
}
