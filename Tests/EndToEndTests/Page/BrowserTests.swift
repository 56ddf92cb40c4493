import Foundation
import JobModel
import SystemSupport
import TestSupport
import Testing

@Suite("The page in a real Chromium")
struct BrowserTests {
  @Test("every address is shown, wide and narrow, light and dark; every action is carried out; hostile text is text")
  func page() async throws {
    let rows = try await PageRows.onSharedBroker()
    let system = rows.system
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2", "init=1", "behind=1", "other=1")
    let facts = try await rows.fill()
    let browser = try await Browser.serve(on: system)
    let stranger = WorkerID()
    try await rows.tell(of: stranger)
    try await browser.play("looking", "numbers", "hostile", "sharing", facts: facts)
    try await rows.tell(of: stranger, isGoodbye: true)
    try system.openGate()
    try await browser.play("keyboard", "acting", facts: facts)
    let actions = try await system.run("teller", ["actions", "--limit", "200", "--json"])
    let others = actions.objects.filter { $0["by"] as? String != "local" }.compactMap { $0["action"] as? String }
    #expect(actions.objects.count > 20 && others.sorted() == PageRows.actions, "\(actions)")
    #expect(try await system.teller("pause", "late").status == 0)
    try await rows.remove("ranked", from: coordinator)
    let busy = try await system.startWorker("many=1", "late=1")
    try await browser.play("changing", "removing", facts: facts)
    for process in [browser.page, busy, worker, coordinator] { try await process.close() }
  }

  @Test("who has no token gets the form alone; a viewer sees, an operator acts; behind a path prefix")
  func entering() async throws {
    let rows = try await PageRows.onSharedBroker()
    let system = rows.system
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let (ada, bob) = (UUID().uuidString, UUID().uuidString)
    let file = system.folder.appending("tokens")
    let lines = try [("ada", "operator", ada), ("bob", "viewer", bob)].map { name, role, token in
      "\(name) \(role) \(try Self.sha256(of: token))\n"
    }
    try Data(lines.joined().utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    let facts = try await rows.fillForViewer()
    let browser = try await Browser.serve("teller", ["--tokens", file.path, "--prefix", "/jobs-of/us"], on: system)
    let people = ["operator": ada, "viewer": bob, "prefix": "/jobs-of/us"]
    try await browser.play("entering", facts: facts.merging(people) { $1 })
    for process in [browser.page, worker, coordinator] { try await process.close() }
  }

  private static func sha256(of text: String) throws -> String {
    let command = Process()
    let (input, output) = (Pipe(), Pipe())
    command.executableURL = URL(filePath: "/usr/bin/sha256sum")
    (command.standardInput, command.standardOutput) = (input, output)
    try command.run()
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    try input.fileHandleForWriting.close()
    let line = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    command.waitUntilExit()
    return String(line.prefix(64))
  }

  @Test("the bank's screen through a day: add ten, the lists, the clock, a reset, two browsers")
  func bank() async throws {
    let configuration = PackageFolder.url.appending(path: "Sources/BankExample/teller.yaml").path
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try system.launch("teller", ["coordinator", "--config", configuration])
    try await coordinator.waitForLine(containing: "serving", within: TellerSystem.limit)
    let worker = try system.launch(
      "bank", ["worker"] + ["init=1", "deposit=2", "loan=1"].flatMap { ["--department", $0] })
    try await worker.waitForLine(containing: "ready", within: TellerSystem.limit)
    #expect(try await system.teller("plan", "start", "opening", "--wait").status == 0)
    let browser = try await Browser.serve("bank", on: system)
    try await browser.play("counting", "banking")
    let visit = try await system.submitOne(["deposit", "--payload", #"{"customer": 1, "milliseconds": 3600000}"#])
    try await eventually("somebody is being served", within: TellerSystem.limit, lastState: { system.logs }) {
      try await system.show(visit)["state"] as? String == "running"
    }
    try await browser.play("resetting", facts: ["visit": visit])
    for process in [browser.page, worker, coordinator] { try await process.close() }
  }

  @Test("whatever is away, the browser says so by colour, word, sign and notice, with the age, and misses nothing")
  func away() async throws {
    let broker = try await BrokerNode.start()
    let system = try TellerSystem(brokerURL: try await broker.makeVirtualHost())
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let browser = try await Browser.serve(on: system)
    let line = try TCPProxy(to: try browser.port)
    let watched = try Watched(browser, line: "http://127.0.0.1:\(line.port)")
    try await watched.begin()
    try await cutOff(line, watched, system)
    try await watched.goOn()
    let next = try await lose(coordinator, watched, system)
    try await trouble(broker, watched, system)
    let again = try await lose(browser, watched, system)
    try await watched.end()
    for process in [again, worker, next] { try await process.close() }
    try await broker.close()
  }

  /// Jobs that have ended; their ids, as an order has them.
  private func end(_ count: Int, in system: TellerSystem) async throws -> String {
    let jobs = try await system.submit(count, #"{"kind": "noop"}"#)
    _ = try await system.outcomes(of: jobs)
    return jobs.joined(separator: " ")
  }

  /// The line of a browser is dead, is then cut, and is there again.
  private func cutOff(_ line: TCPProxy, _ watched: Watched, _ system: TellerSystem) async throws {
    line.weather = .blackHole
    try await watched.see(trouble: "slow", notice: "Nothing has come for")
    line.reset()
    try await watched.see(trouble: "lost", notice: "Connection lost.")
    let missed = try await end(20, in: system)
    line.weather = .clear
    try await watched.seeConnection()
    try await watched.see("missed \(missed)", "total 20")
  }

  private func lose(
    _ coordinator: RunningProcess, _ watched: Watched, _ system: TellerSystem
  ) async throws -> RunningProcess {
    coordinator.signal(SIGKILL)
    _ = try await coordinator.waitForExit(within: TellerSystem.limit)
    try await watched.see(trouble: "slow", notice: "Slow. The coordinator does not answer")
    let next = try await system.startCoordinator()
    try await watched.seeConnection()
    try await watched.see("missed \(try await end(20, in: system))", "total 40")
    return next
  }

  /// The broker takes nothing, says nothing, and is away.
  private func trouble(_ broker: BrokerNode, _ watched: Watched, _ system: TellerSystem) async throws {
    try await broker.ctl("set_vm_memory_high_watermark", "0.0000001")
    try await watched.see(trouble: "slow", notice: "Slow. The broker takes nothing")
    try await broker.ctl("set_vm_memory_high_watermark", "0.4")
    try await watched.seeConnection()
    try await broker.freeze()
    try await watched.see(trouble: "slow", notice: "Slow. The coordinator does not answer")
    try await broker.thaw()
    try await watched.seeConnection()
    try await broker.stop()
    try await watched.see(trouble: "lost", notice: "Connection lost.")
    try await broker.start()
    try await watched.seeConnection()
    try await watched.see("missed \(try await end(20, in: system))", "total 60")
  }

  /// The page dies, and another one is begun in its place: it knows nothing of before.
  private func lose(_ browser: Browser, _ watched: Watched, _ system: TellerSystem) async throws -> RunningProcess {
    browser.page.signal(SIGKILL)
    _ = try await browser.page.waitForExit(within: TellerSystem.limit)
    try await watched.see(trouble: "lost", notice: "Connection lost.")
    try await watched.see("unloaded")
    _ = try await end(20, in: system)
    let page = try system.launch("teller", ["page", "--listen", "127.0.0.1:\(try browser.port)"])
    try await page.waitForLine(containing: "page at http", within: TellerSystem.limit)
    try await watched.seeConnection()
    try await watched.see("anew", "total 80", "loaded")
    return page
  }
}
