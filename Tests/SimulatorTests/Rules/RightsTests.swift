import AuditSupport
import Decisions
import JobModel
import Testing

@testable import Simulator

/// What is refused to somebody who may do it, and what is taken from somebody who may not.
@Suite("The simulator's rules of rights")
struct RightsTests {
  /// How much is found at 10 s, when the client has asked at 5 s: if it is refused, and if it is taken.
  private func found(
    _ bench: RuleBench, _ act: Access.Act = .submit, in department: Department? = Departments.ahead, isAll: Bool = true
  ) -> [Int] {
    bench.world.now = .seconds(10)
    let right = RightNeeded(
      user: "client", act: act, department: department, isAll: isAll, since: Moment(nanoseconds: 5_000_000_000))
    bench.world.checkRefused(right, "something")
    let refused = bench.found().count
    bench.world.checkTaken(right, "something")
    return [refused, bench.found().count]
  }

  /// The client may do that, and nothing else.
  private func configuration(_ settings: UserSettings?) -> CoordinatorConfiguration {
    var configuration = CoordinatorConfiguration()
    configuration.access = Stranger.access
    configuration.access.users?["client"] = settings
    return configuration
  }

  private var onlyWork: CoordinatorConfiguration {
    configuration(UserSettings(role: .producer, departments: [Departments.work]))
  }

  @Test("finds what is refused and allowed, and what is taken and forbidden")
  func rights() throws {
    for (present, isAllowed) in [
      (CoordinatorConfiguration(), true), (configuration(UserSettings(role: .operator)), true), (onlyWork, false),
      (configuration(UserSettings(role: .monitor)), false), (configuration(nil), false),
    ] {
      let bench = try RuleBench()
      bench.world.goesOn(with: present, bench.node)
      #expect(found(bench) == (isAllowed ? [1, 0] : [0, 1]))
    }
  }

  @Test("finds nothing where nobody knows what was in force, or a second coordinator has served")
  func unknown() throws {
    let bench = try RuleBench()
    #expect(found(bench) == [0, 0])
    bench.world.goesOn(with: onlyWork, bench.node)
    let second = CoordinatorNode("standby", bench.world, onlyWork, file: bench.node.file)
    bench.world.coordinators.append(second)
    #expect(found(bench) == [0, 1])
    second.hasServed = true
    #expect(found(bench) == [0, 0])
  }

  @Test("goes by every configuration that may have been in force since somebody asked", arguments: [4, 6, 11])
  func reload(at time: Int) throws {
    let bench = try RuleBench()
    bench.world.goesOn(with: configuration(UserSettings(role: .operator)), bench.node)
    bench.world.now = .seconds(1)
    bench.world.mayGoOn(with: onlyWork, bench.node)
    #expect(found(bench) == [0, 0])
    bench.world.now = .seconds(time)
    bench.world.goesOn(with: onlyWork, bench.node)
    #expect(found(bench) == [0, time < 5 ? 1 : 0])
  }

  @Test("knows of commands, and of what may need more rights than one")
  func more() throws {
    let bench = try RuleBench()
    bench.world.goesOn(with: configuration(UserSettings(role: .producer)), bench.node)
    #expect(found(bench, .command, in: nil) == [0, 1])
    #expect(found(bench) == [1, 0])
    #expect(found(bench, isAll: false) == [0, 0])
    bench.world.goesOn(with: configuration(UserSettings(role: .operator)), bench.node)
    #expect(found(bench, .command, in: nil) == [0, 0])
  }
}
