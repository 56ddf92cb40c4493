package import JobModel

/// Which workers have a handler for which kinds, and so where a job of a kind can be released to. A pure value.
///
/// A department's queue hands a message to any of the department's workers. So the route of a kind depends on the
/// number of workers that have a handler for it:
///
///     all of them  ─▶ the department's queue
///     some of them ─▶ a queue of the kind, which only these workers consume
///     none of them ─▶ nowhere: the job is held
///
/// So no worker gets a job that it must give back, and no job goes in circles. A worker that names no kinds takes every
/// job of its department's queue, and serves no other queue: it may not know that there are others.
package struct HandlerMap: Hashable, Sendable {
  /// Where a job can be released to.
  package enum Route: Hashable, Sendable {
    /// Every worker of the department has a handler for its kind, or there is no worker.
    case department
    /// Some workers name a handler for the kind, and others have none.
    case kind
    /// Some workers have no handler for the kind, and no worker names one.
    case nowhere
  }

  private struct Server: Hashable {
    var name: String
    var departments: Set<Department>
    /// Nil: all.
    var kinds: Set<JobKind>?
    /// The kinds of jobs that the worker has given back, though it seemed to have handlers for them.
    var returned: Set<JobKind> = []

    /// Whether the worker must not get jobs of the kind.
    func lacks(_ kind: JobKind) -> Bool {
      if returned.count > HandlerMap.returnedLimit { return true }
      return !(kinds?.contains(kind) ?? true) || returned.contains(kind)
    }
    /// Whether the worker serves the queue of the kind.
    func serves(_ kind: JobKind) -> Bool { kinds != nil && !lacks(kind) }
  }

  /// How many names of workers people are told.
  package static let nameLimit = 10
  /// The most kinds of one department whose routes are remembered: producers choose kinds freely.
  static let routeLimit = 10_000
  /// The most kinds that one worker can give back. A worker that gives back one more gets nothing from then on: else
  /// its jobs would go in circles.
  static let returnedLimit = 1_000

  private var servers: [WorkerID: Server] = [:]
  private var routes: [Department: [JobKind: Route]] = [:]

  /// Notes the handlers of a worker; `kinds`: nil means every kind that its departments' queues hold. A worker that
  /// drains serves no department.
  ///
  /// - Returns: Whether that is news: then jobs that were held for a handler may go.
  @discardableResult
  package mutating func serve(
    _ worker: WorkerID, name: String, departments: Set<Department>, kinds: Set<JobKind>?
  ) -> Bool {
    var server = Server(name: name, departments: departments, kinds: kinds)
    server.returned = servers[worker]?.returned ?? []
    guard servers[worker] != server else { return false }
    servers[worker] = server
    routes = [:]
    return true
  }

  /// The worker is gone; returns whether it was there before.
  @discardableResult
  package mutating func leave(_ worker: WorkerID) -> Bool {
    guard servers.removeValue(forKey: worker) != nil else { return false }
    routes = [:]
    return true
  }

  /// The worker has given back a job of the kind: it has no handler for the kind, whatever it says.
  package mutating func gaveBack(_ kind: JobKind, _ worker: WorkerID) {
    guard let server = servers[worker], !server.lacks(kind) else { return }
    servers[worker]?.returned.insert(kind)
    routes = [:]
  }

  /// Where a job of the kind can be released to. The answer is remembered, since every job asks.
  package mutating func route(of kind: JobKind, in department: Department) -> Route {
    if let route = routes[department]?[kind] { return route }
    let route = computedRoute(of: kind, in: department)
    if routes[department, default: [:]].count >= HandlerMap.routeLimit { routes[department] = [:] }
    routes[department, default: [:]][kind] = route
    return route
  }

  private func computedRoute(of kind: JobKind, in department: Department) -> Route {
    var (serves, lacks) = (false, false)
    for server in servers.values where server.departments.contains(department) {
      if server.serves(kind) { serves = true }
      if server.lacks(kind) { lacks = true }
      if serves, lacks { return .kind }
    }
    return lacks ? .nowhere : .department
  }
}

// For people, and for whoever shares out the tellers.
extension HandlerMap {
  /// The names of the department's workers that name a handler for the kind, and of those that have none.
  package func names(for kind: JobKind, in department: Department) -> (knowing: [String], lacking: [String]) {
    let serving = servers.values.filter { $0.departments.contains(department) }
    return (
      serving.filter { $0.serves(kind) }.map(\.name).sorted(), serving.filter { $0.lacks(kind) }.map(\.name).sorted()
    )
  }

  /// Whether a worker of the department names a handler for the kind.
  package func isNamed(_ kind: JobKind, in department: Department) -> Bool {
    servers.values.contains { $0.departments.contains(department) && $0.kinds?.contains(kind) == true }
  }

  /// The kinds that the worker names handlers for; nil: it names none, or is not known.
  package func kinds(of worker: WorkerID) -> Set<JobKind>? { servers[worker]?.kinds }

  /// Whether the worker is to serve the queue of the kind.
  package func serves(_ worker: WorkerID, _ kind: JobKind, in department: Department) -> Bool {
    servers[worker].map { $0.departments.contains(department) && $0.serves(kind) } ?? false
  }

  /// Whether a worker of the department names no kinds.
  package func hasOneForAll(in department: Department) -> Bool {
    servers.values.contains { $0.kinds == nil && $0.departments.contains(department) }
  }

  /// The known kind whose name is nearest, of all that the department's workers have handlers for.
  package func suggestion(for kind: JobKind, in department: Department) -> JobKind? {
    let known = servers.values.filter { $0.departments.contains(department) }.compactMap(\.kinds)
      .reduce(into: Set<JobKind>()) { $0.formUnion($1) }
    return Suggestion.nearest(to: kind.name, in: known.map(\.name)).flatMap { JobKind($0) }
  }
}
