import ArgumentParser
import DroppingTracer
import Teller
import TellerHealth

/// A worker for end-to-end tests: handlers that do nothing, wait, fail, die, hang, answer, or leave a trace.
@main
struct TestBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "testbench",
    abstract: "A worker whose handlers do what tests need.",
    subcommands: [WorkerCommand.self],
    defaultSubcommand: WorkerCommand.self
  )
}

struct WorkerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker",
    abstract: """
      Serves the kinds noop, sleep, slow, hang, fail, crash, echo, effect, gate, step and wave; aside, child and salute if \
      told so.
      """
  )

  @Option(
    name: .customLong("department"), help: ArgumentHelp("A department and its tellers.", valueName: "name=tellers"))
  var staffing: [Staffing] = []

  @Flag(help: "Has a handler for `aside`.")
  var aside = false

  @Flag(help: "Has a handler for `child`.")
  var child = false

  @Option(help: ArgumentHelp("Has a handler for `salute`, of that version.", valueName: "1|2"))
  var salute: Int?

  @Option(
    help: ArgumentHelp("How long a job runs until it is adopted; the worker's default.", valueName: "seconds"))
  var adoptAfter: Double?

  @Option(
    help: ArgumentHelp("How long a cancelled handler has to end; the worker's default.", valueName: "seconds"))
  var grace: Double?

  @Option(
    help: ArgumentHelp("Where to tell its health and its metrics.", valueName: "address"),
    transform: { text in
      guard let address = HealthAddress(text) else { throw ValidationError("\(text) is no address") }
      return address
    })
  var health: HealthAddress?

  @Flag(help: "Makes spans, and drops them.")
  var traced = false

  func validate() throws {
    for seconds in [adoptAfter, grace].compactMap(\.self) where !(0...WorkerCommand.longest).contains(seconds) {
      throw ValidationError("--adopt-after and --grace take 0–\(Int(WorkerCommand.longest)) seconds")
    }
    if let salute, !(1...2).contains(salute) { throw ValidationError("--salute takes 1 or 2") }
    if staffing.isEmpty { throw ValidationError("name at least one department: --department NAME=TELLERS") }
  }

  /// The longest limit, in seconds.
  private static let longest: Double = 86_400

  private var timeouts: WorkerTimeouts {
    var timeouts = WorkerTimeouts()
    if let adoptAfter { timeouts.adoptAfter = .seconds(adoptAfter) }
    if let grace { timeouts.grace = .seconds(grace) }
    return timeouts
  }

  func run() async throws {
    BufferedLog.bootstrap()
    if traced { Dropping.bootstrap() }
    // Before the worker makes its metrics.
    let metrics = health.map { _ in PrometheusMetrics.bootstrap() }
    let worker = Worker(
      try TellerConfiguration.load(), departments: Staffing.tellers(of: staffing), timeouts: timeouts)
    worker.register(Noop())
    worker.register(Sleep())
    worker.register(Slow())
    worker.register(Hang())
    worker.register(Fail())
    worker.register(Crash())
    worker.register(Echo())
    worker.register(Effect())
    worker.register(Gate())
    worker.register(Step())
    worker.register(Wave())
    if aside { worker.register(Aside()) }
    if child { worker.register(Child()) }
    if salute == 1 { worker.register(Salute()) }
    if salute == 2 { worker.register(SaluteByBothNames()) }
    guard let health else { return try await worker.runService() }
    try await HealthServer(worker, on: health, metrics: metrics).run { try await worker.runService() }
  }
}
