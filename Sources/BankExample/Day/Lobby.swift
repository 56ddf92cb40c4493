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

  /// Takes in the departments that nobody serves now. Each is told when it is new.
  func unstaffed(_ departments: [Department]) {
    let news = departments.filter { !floor.unstaffed.contains($0) }
    floor.unstaffed = departments
    for department in news { tell(.unstaffed(department)) }
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
