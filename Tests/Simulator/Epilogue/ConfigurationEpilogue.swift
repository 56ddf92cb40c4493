import AuditSupport
import Bookkeeping
import Decisions
import JobModel
import JobTransport

// What must work when a configuration changes while everything else is calm.
extension Epilogue {
  /// The configuration changes, and is in the end what it was.
  func changesConfiguration() async throws {
    let usual = coordinator.configuration
    for part in [shrinksWindows, takesDepartmentBack, keepsOrder, forgetsSchedules]
    where world.failures.isEmpty && world.chance(50) {
      try await part(usual)
      try await reload(usual)
    }
  }

  /// The coordinator has taken over another configuration, or the same once more.
  func reload(_ wanted: CoordinatorConfiguration) async throws {
    try world.reload(wanted)
    try await wait(for: "another configuration") { coordinator.phase == .serving && !coordinator.isReconfigured }
  }

  /// What a window had in its reserves counts where it has none any more: the coordinator is watched for it.
  private func shrinksWindows(_ usual: CoordinatorConfiguration) async throws {
    var wide = usual
    wide.departments[Departments.capped] = .init(window: 3)
    try await reload(wide)
    // What has its place in a reserve runs last.
    for level in (0...9).reversed() {
      for _ in 1...2 {
        var next = job("quick", Script(length: .milliseconds(600)))
        (next.department, next.priority) = (Departments.capped, Priority(level) ?? .normal)
        client.submit(next, Wanted())
      }
    }
    try await wait(for: "jobs in the reserves of a window") {
      try (reading.tallies()[Departments.capped]?.released ?? 0) > 6 || client.isIdle
    }
    try await reload(usual)
    try await wait(for: "the end of jobs whose window became smaller") { client.isIdle }
  }

  /// A job whose department was taken away goes on when the department is back, also where its message never left.
  private func takesDepartmentBack(_ usual: CoordinatorConfiguration) async throws {
    var without = usual
    without.departments[Departments.capped] = nil
    var lost = job("quick", Script(length: .milliseconds(10)))
    lost.department = Departments.capped
    client.submit(lost, Wanted())
    let end = world.now + .milliseconds(50)
    while world.now < end, coordinator.states[lost.id] != .queued, world.failures.isEmpty {
      try await world.run(until: world.now + .microseconds(30))
    }
    coordinator.end()
    try world.reload(without)
    world.superviseSoon(coordinator)
    try await wait(for: "a coordinator that serves again") { coordinator.phase == .serving }
    try await world.run(until: world.now + .seconds(1))
    try await reload(usual)
    // It may have been refused while there was no such department.
    try await wait(for: "the end of a job whose department was away") {
      try client.isIdle && (reading.states(of: [lost.id])[lost.id] ?? 2) > 1
    }
  }

  /// A department that goes on keeps its order.
  private func keepsOrder(_ usual: CoordinatorConfiguration) async throws {
    var other = usual
    other.departments[Departments.ordered] = .init(isOrdered: false)
    other.departments[Departments.ahead] = .init(isOrdered: true)
    try await reload(other)
    let books = try books
    let status = try await books.status(broker: .connected, at: try coordinator.withBooks { $0.monotonic })
    for department in status.departments
    where department.isOrdered != Departments.inOrder.contains(department.department) {
      fail("\(department.department) has another order than it began with")
    }
  }

  /// A schedule that is gone makes nothing, as whoever watches the coordinator would see; no job lacks its minute.
  private func forgetsSchedules(_ usual: CoordinatorConfiguration) async throws {
    guard !usual.schedules.isEmpty else { return }
    var without = usual
    without.schedules = []
    try await reload(without)
    try await world.run(until: world.now + .seconds(61))
  }
}
