import AMQP

/// A process of a schedule. It is killed by another life.
class Node {
  let name: String
  unowned let world: World
  /// Counts its lives: what was to happen to an earlier one does not.
  private(set) var life = 0
  var isAlive = true
  /// The broker's user, where that matters.
  var user: String { "client" }
  /// It does nothing before; what comes meanwhile waits.
  var frozenUntil: Duration = .zero
  /// What has come while it stands still.
  var waiting: [World.Happening] = []

  init(_ name: String, _ world: World) {
    self.name = name
    self.world = world
    world.nodes.append(self)
  }

  func after(_ delay: Duration, _ what: String, _ body: @escaping () async throws -> Void) {
    world.after(delay, self, what, body)
  }

  func receive(_ frame: BrokerFrame, on line: World.Line) async throws {}
  func lost(_ line: World.Line, _ error: AMQPError) throws {}

  /// The process ends. What it has sent arrives, and then the broker sees the end of its connections.
  func end() {
    for line in world.lines(of: self) { world.hangUp(line) }
    life += 1
    isAlive = false
    (frozenUntil, waiting) = (.zero, [])
  }

  func begin() { isAlive = true }
}
