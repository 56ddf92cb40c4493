import Foundation
import SystemSupport
import TestSupport
import Testing

/// What a process can run out of, and what others do to it: one line says so, the rest goes on, and all of it heals.
@Suite("Processes with too little, and closed streams", .serialized)
struct ResourceTests {
  /// The port of a server in its process's log.
  private func port(of process: RunningProcess, _ server: String = "health") async throws -> String {
    let text = "\(server) at http://127.0.0.1:"
    let line = try await process.waitForLine(containing: text, within: TellerSystem.limit)
    return line.components(separatedBy: text).last?.prefix { $0.isNumber }.description ?? ""
  }

  /// Idle connections, until the process is ended.
  private func hold(_ count: Int, at port: String) async throws -> RunningProcess {
    let script = """
      for i in $(seq \(count)); do exec {fd}<>/dev/tcp/127.0.0.1/\(port) || exit 1; done
      echo held; read -r line
      """
    let holder = try RunningProcess.launch(URL(filePath: "/bin/bash"), arguments: ["-c", script])
    try await holder.waitForLine(containing: "held", within: TellerSystem.limit)
    return holder
  }

  /// An answer that is late on a busy machine is asked for again.
  private func becomesReady(_ port: String, of system: TellerSystem) async throws {
    try await eventually("it is ready again", within: TellerSystem.limit) {
      try await system.teller("health", "127.0.0.1:\(port)").status == 0
    }
  }

  /// The processor time of a process so far, in seconds.
  private func processorTime(of pid: pid_t) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    let fields = text.components(separatedBy: ") ").last?.split(separator: " ") ?? []
    let ticks = [11, 12].compactMap { fields.count > $0 ? Double(fields[$0]) : nil }.reduce(0, +)
    return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  @Test("a coordinator without descriptors serves on, says so once, spins on nothing, and is reached again afterwards")
  func descriptors() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try system.launch(
      "teller", ["coordinator", "--health", "127.0.0.1:0"], by: ["/usr/bin/prlimit", "--nofile=64:64"])
    try await coordinator.waitForLine(containing: "serving", within: TellerSystem.limit)
    let port = try await port(of: coordinator)
    let worker = try await system.startWorker("work=2")
    let holders = [try await hold(60, at: port), try await hold(60, at: port)]
    try await coordinator.waitForLine(containing: "no connection is accepted", within: TellerSystem.limit)
    let (began, before) = (ContinuousClock.now, try processorTime(of: coordinator.pid))
    let jobs = try await system.submit(20, #"{"kind": "noop"}"#)
    #expect(Set(try await system.outcomes(of: jobs).values) == ["succeeded"])
    try await Task.sleep(for: .seconds(3))
    let used = try processorTime(of: coordinator.pid) - before
    #expect(used < (began.duration(to: .now) / .seconds(1)) * 0.5 + 1, "it took \(used) s of processor time")
    #expect(coordinator.exitStatus == nil)
    for holder in holders { try await holder.close() }
    try await becomesReady(port, of: system)
    let lines = coordinator.text(of: .standardError).count { $0.contains("no connection is accepted") }
    #expect(lines == 1, "\(coordinator.text(of: .standardError))")
    for process in [worker, coordinator] { try await process.close() }
  }

  /// Runs a program as a user who owns nothing here.
  private func asNobody(_ command: String...) async throws -> Int32 {
    let whole = OtherUser.command + command
    let process = try RunningProcess.launch(URL(filePath: whole[0]), arguments: Array(whole.dropFirst()))
    return try await process.waitForExit(within: TellerSystem.limit)
  }

  @Test(
    "a worker that can start no thread fails its attempts, says so in its log and its health, and heals",
    .enabled("no other user can run what was built", OtherUser.isPossible))
  func threads() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try system.launch(
      "testbench", ["worker", "--department", "work=2", "--department", "other=1", "--health", "127.0.0.1:0"],
      by: OtherUser.limited(by: "--nproc=400:400"))
    let port = try await port(of: worker)
    try await worker.waitForLine(containing: "ready", within: TellerSystem.limit)
    let pid = "\(worker.pid)"
    let slow = try await system.submitOne(
      "sleep", "--payload", #"{"ms": 600000}"#, "--timeout", "8s", "--attempts", "1")
    try await eventually("it runs", within: TellerSystem.limit) {
      try await system.teller("show", slow).lines.joined().contains("running")
    }
    #expect(try await asNobody("/usr/bin/prlimit", "--pid", pid, "--nproc=1:400") == 0)
    // Of a department that has no thread yet.
    let jobs = try await system.submit(1, #"{"kind": "noop", "department": "other", "attempts": 1}"#)
    #expect(Set(try await system.outcomes(of: jobs).values) == ["failed"])
    let shown = try await system.teller("show", jobs[0])
    #expect(shown.lines.joined().contains("no_thread"), "\(shown)")
    #expect(try await system.teller("health", "127.0.0.1:\(port)").status != 0)
    #expect(Set(try await system.outcomes(of: [slow]).values) == ["failed"], "its time limit needs no new thread")
    #expect(try await system.teller("show", slow).lines.joined().contains("timeout"))
    #expect(try await asNobody("/usr/bin/prlimit", "--pid", pid, "--nproc=400:400") == 0)
    try await worker.waitForLine(containing: "threads for handlers can be started again", within: TellerSystem.limit)
    try await becomesReady(port, of: system)
    let later = try await system.submit(3, #"{"kind": "noop"}"#)
    #expect(Set(try await system.outcomes(of: later).values) == ["succeeded"])
    let lines = worker.text(of: .standardError).count { $0.contains("no thread can be started") }
    #expect(lines == 1, "\(worker.text(of: .standardError))")
    for process in [worker, coordinator] { try await process.close() }
  }

  /// The first line that a page answers.
  private func status(at port: String) async throws -> String {
    let script = #"""
      exec 3<>/dev/tcp/127.0.0.1/$0
      printf 'GET / HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' $0 >&3
      read -r line <&3; echo "${line%$'\r'}"
      """#
    let asker = try RunningProcess.launch(URL(filePath: "/bin/bash"), arguments: ["-c", script, port])
    try await asker.waitForExit(within: TellerSystem.limit)
    return asker.text(of: .standardOutput).first ?? ""
  }

  @Test("a page without descriptors says so once, spins on nothing, and is reached again afterwards")
  func pageDescriptors() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let page = try system.launch(
      "teller", ["page", "--listen", "127.0.0.1:0", "--health", "127.0.0.1:0"],
      by: ["/usr/bin/prlimit", "--nofile=64:64"])
    let (port, health) = (try await port(of: page, "page"), try await port(of: page))
    let holders = [try await hold(60, at: port), try await hold(60, at: port)]
    try await page.waitForLine(containing: "no connection is accepted", within: TellerSystem.limit)
    let (began, before) = (ContinuousClock.now, try processorTime(of: page.pid))
    try await Task.sleep(for: .seconds(3))
    let used = try processorTime(of: page.pid) - before
    #expect(used < (began.duration(to: .now) / .seconds(1)) * 0.5, "it took \(used) s of processor time")
    #expect(page.exitStatus == nil)
    for holder in holders { try await holder.close() }
    #expect(try await status(at: port) == "HTTP/1.1 200 OK", "\(system.logs)")
    let lines = page.text(of: .standardError).count { $0.contains("no connection is accepted") }
    #expect(lines == 1, "\(page.text(of: .standardError))")
    try await becomesReady(health, of: system)
    for process in [page, coordinator] { try await process.close() }
  }

  @Test("a process whose streams are closed from the start, or whose readers end, does its work all the same")
  func streams() async throws {
    let system = try await TellerSystem.onSharedBroker()
    // Whatever is opened first would get the numbers of the streams: the ledger, or the connection to the broker.
    let coordinator = try system.launch(
      "teller", ["coordinator"], by: ["/bin/bash", "-c", #"exec "$0" "$@" 0<&- 1>&- 2>&-"#])
    let worker = try system.launch(
      "testbench", ["--department", "work=2"], by: ["/bin/bash", "-c", #""$0" "$@" 2>&1 | head -1"#])
    let jobs = try await system.submit(20, #"{"kind": "effect", "payload": {}}"#)
    #expect(Set(try await system.outcomes(of: jobs).values) == ["succeeded"])
    let pid = try #require(system.effects.first?.pid)
    let more = try await system.submit(5, #"{"kind": "fail", "attempts": 1}"#)
    #expect(Set(try await system.outcomes(of: more).values) == ["failed"], "each of these is a line of its log")
    let last = try await system.submit(5, #"{"kind": "effect", "payload": {}}"#)
    #expect(Set(try await system.outcomes(of: last).values) == ["succeeded"])
    #expect(system.effects.allSatisfy { $0.pid == pid }, "it is the same process")
    kill(pid, SIGTERM)
    try await worker.waitForExit(within: TellerSystem.limit)
    try await coordinator.close()
  }

  @Test(
    "a command whose reader ends, ends quietly", arguments: ["--help", "help submit", "jobs -n 1000", "no-command"])
  func readers(arguments: String) async throws {
    let system = try await TellerSystem.onSharedBroker()
    let program = try BuiltProducts.url("teller").path
    let command = try RunningProcess.launch(
      URL(filePath: "/bin/bash"), arguments: ["-c", "\(program) \(arguments) 2>&3 | true; echo ${PIPESTATUS[0]}"],
      environment: ["TELLER_BROKER_URL": system.brokerURL])
    try await command.waitForExit(within: TellerSystem.limit)
    let status = command.text(of: .standardOutput).last.flatMap { Int($0) } ?? -1
    #expect(status < 128, "it was ended by a signal: \(status)")
  }

  @Test("a child of a process inherits no ignored SIGPIPE: a shell has its usual pipes")
  func children() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let status = try String(contentsOfFile: "/proc/\(coordinator.pid)/status", encoding: .utf8)
    let ignored = status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") }?.split(separator: "\t").last ?? ""
    let caught = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }?.split(separator: "\t").last ?? ""
    let bit = UInt64(1) << UInt64(SIGPIPE - 1)
    let isHarmless = [ignored, caught].contains { UInt64($0, radix: 16).map { $0 & bit != 0 } ?? false }
    #expect(isHarmless, "\(status)")
    try await coordinator.close()
  }
}

/// Process 1 of a container, by a namespace of process ids.
@Suite("A program that is process 1", .serialized)
struct ProcessOneTests {
  private static let unshare = ["/usr/bin/unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]

  /// The first process of the namespace, as it is known outside.
  private func first(of unshare: RunningProcess) throws -> pid_t? { try children(of: unshare.pid).first }

  private func children(of pid: pid_t) throws -> [pid_t] {
    let children = try String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
    return children.split(separator: " ").compactMap { pid_t($0) }
  }

  private func launch(_ system: TellerSystem, _ arguments: [String]) throws -> RunningProcess {
    let whole = Self.unshare + [try BuiltProducts.url("teller").path] + arguments
    return try system.launch(URL(filePath: whole[0]), named: "teller as process 1", Array(whole.dropFirst()))
  }

  @Test("ends by a SIGTERM that comes at any moment of its start")
  func early() async throws {
    let system = try await TellerSystem.onSharedBroker()
    for milliseconds in [0, 1, 2, 5, 10, 20, 40, 80, 160] {
      let process = try launch(system, ["coordinator"])
      // Before that the process is still `unshare`, or nothing of the program has run.
      try await eventually("its first instruction", within: TellerSystem.limit) {
        try first(of: process).map { try children(of: $0).count == 1 } ?? false
      }
      let pid = try #require(try first(of: process))
      try await Task.sleep(for: .milliseconds(milliseconds))
      kill(pid, SIGTERM)
      // Not ended by it: the kernel drops what nobody asks for, and only a SIGKILL would end it.
      try await process.waitForExit(within: .seconds(60))
    }
  }

  @Test("hands signals on, has the exit status of the program, and buries what others leave behind")
  func orphans() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try launch(system, ["coordinator"])
    try await coordinator.waitForLine(containing: "serving", within: TellerSystem.limit)
    let pid = try #require(try first(of: coordinator))
    for _ in 1...5 {
      let orphan = try RunningProcess.launch(
        URL(filePath: "/usr/bin/nsenter"),
        arguments: ["--target", "\(pid)", "--user", "--pid", "--", "/bin/sh", "-c", "(sleep 0.1 &) ; exit 0"])
      try await orphan.waitForExit(within: TellerSystem.limit)
    }
    try await eventually("no child of it is dead and unburied", within: TellerSystem.limit) {
      try children(of: pid).count == 1
    }
    kill(pid, SIGHUP)
    try await coordinator.waitForLine(named: "that it reads its file again", within: TellerSystem.limit) {
      $0.contains("configuration") || $0.contains("nothing changes") || $0.contains("nothing has changed")
    }
    kill(pid, SIGTERM)
    #expect(try await coordinator.waitForExit(within: TellerSystem.limit) == 0)
    let wrong = try launch(system, ["submit"])
    #expect(try await wrong.waitForExit(within: TellerSystem.limit) == 64)
  }
}
