import Testing

@testable import Decisions
@testable import JobModel

/// A map whose changes are calls, so that they can be expected.
private final class Handlers {
  private var map = HandlerMap()

  func serve(_ worker: WorkerID, name: String, departments: Set<Department>, kinds: Set<JobKind>?) -> Bool {
    map.serve(worker, name: name, departments: departments, kinds: kinds)
  }
  func leave(_ worker: WorkerID) -> Bool { map.leave(worker) }
  func gaveBack(_ kind: JobKind, _ worker: WorkerID) { map.gaveBack(kind, worker) }
  func route(of kind: JobKind, in department: Department) -> HandlerMap.Route { map.route(of: kind, in: department) }
  func names(for kind: JobKind, in department: Department) -> (knowing: [String], lacking: [String]) {
    map.names(for: kind, in: department)
  }
  func serves(_ worker: WorkerID, _ kind: JobKind, in department: Department) -> Bool {
    map.serves(worker, kind, in: department)
  }
  func suggestion(for kind: JobKind, in department: Department) -> JobKind? {
    map.suggestion(for: kind, in: department)
  }
}

@Suite("who has handlers for which kinds")
struct HandlerMapTests {
  private let old = WorkerID("old")
  private let new = WorkerID("new")

  private func map(_ old: Set<JobKind>?, _ new: Set<JobKind>?) -> Handlers {
    let map = Handlers()
    _ = map.serve(self.old, name: "host/1", departments: ["loan"], kinds: old)
    _ = map.serve(self.new, name: "host/2", departments: ["loan", "other"], kinds: new)
    return map
  }

  @Test(
    "a kind that all workers know goes to the department, one that some know to its own queue, one that none knows nowhere"
  )
  func routes() {
    let map = map(["a"], ["a", "b"])
    #expect(map.route(of: "a", in: "loan") == .department)
    #expect(map.route(of: "b", in: "loan") == .kind)
    #expect(map.route(of: "c", in: "loan") == .nowhere)
    #expect(map.route(of: "b", in: "other") == .department, "the old worker does not serve it")
    #expect(map.route(of: "c", in: "empty") == .department, "nobody is there who could not run it")
  }

  @Test("whoever comes, leaves, or has other handlers than before changes the routes, and says that it is news")
  func changes() {
    let map = map(["a"], ["a", "b"])
    #expect(map.route(of: "b", in: "loan") == .kind)
    #expect(!map.serve(old, name: "host/1", departments: ["loan"], kinds: ["a"]))
    #expect(map.serve(old, name: "host/1", departments: ["loan"], kinds: ["a", "b"]))
    #expect(map.route(of: "b", in: "loan") == .department)
    #expect(map.serve(old, name: "host/1", departments: ["loan"], kinds: ["a"]))
    #expect(map.leave(new))
    #expect(!map.leave(new))
    #expect(map.route(of: "b", in: "loan") == .nowhere)
    #expect(map.leave(old))
    #expect(map.route(of: "b", in: "loan") == .department)
  }

  @Test("a worker that does not say which kinds it takes, takes all of its department's queue, until it gives one back")
  func givesBack() {
    let map = map(["a"], nil)
    #expect(map.route(of: "z", in: "other") == .department)
    map.gaveBack("z", new)
    #expect(map.route(of: "z", in: "other") == .nowhere)
    #expect(
      !map.serve(new, name: "host/2", departments: ["loan", "other"], kinds: nil), "what it gave back stays known")
    #expect(map.route(of: "z", in: "other") == .nowhere && map.route(of: "y", in: "other") == .department)
  }

  @Test("nobody counts on a worker that names no kinds for the queue of one: it may not know of it")
  func unnamed() {
    let map = map(["a"], nil)
    #expect(map.route(of: "a", in: "loan") == .department)
    #expect(map.route(of: "z", in: "loan") == .nowhere)
    #expect(map.names(for: "z", in: "loan") == ([], ["host/1"]))
    #expect(!map.serves(new, "a", in: "loan") && map.serves(old, "a", in: "loan"))
    _ = map.serve(WorkerID("third"), name: "host/3", departments: ["loan"], kinds: ["z"])
    #expect(map.route(of: "z", in: "loan") == .kind)
    #expect(map.names(for: "z", in: "loan") == (["host/3"], ["host/1"]))
  }

  @Test("a worker that serves no department any more has no part in a route")
  func drains() {
    let map = map(["a"], ["a", "b"])
    #expect(map.serves(new, "b", in: "loan"))
    #expect(map.serve(new, name: "host/2", departments: [], kinds: ["a", "b"]))
    #expect(map.route(of: "b", in: "loan") == .nowhere && !map.serves(new, "b", in: "loan"))
    #expect(map.names(for: "b", in: "loan") == ([], ["host/1"]))
  }

  @Test("who has a handler, who has none, and which kind may have been meant")
  func names() {
    let map = map(["a"], ["a", "greet"])
    #expect(map.names(for: "greet", in: "loan").knowing == ["host/2"])
    #expect(map.names(for: "greet", in: "loan").lacking == ["host/1"])
    #expect(map.suggestion(for: "gret", in: "loan") == "greet")
    #expect(map.suggestion(for: "juggle", in: "loan") == nil)
  }

  @Test("a worker that gives back more kinds than are remembered of it is taken to know none, so that nothing circles")
  func returnsTooMany() throws {
    let map = map(nil, nil)
    for number in 0..<HandlerMap.returnedLimit { map.gaveBack(try #require(JobKind("k\(number)")), new) }
    #expect(map.route(of: "k0", in: "other") == .nowhere && map.route(of: "z", in: "other") == .department)
    map.gaveBack("z", new)
    #expect(map.route(of: "z", in: "other") == .nowhere && map.route(of: "y", in: "other") == .nowhere)
    #expect(map.names(for: "y", in: "other").lacking == ["host/2"])
  }

  @Test("how many kinds are remembered is bounded, whatever producers choose")
  func bounded() {
    let map = map(["a"], ["a"])
    for number in 0..<(HandlerMap.routeLimit * 2 + 1) {
      #expect(map.route(of: JobKind("k\(number)") ?? "a", in: "loan") == .nowhere)
    }
    #expect(map.route(of: "a", in: "loan") == .department)
  }
}
