import Foundation
import SystemSupport
import TestSupport
import Testing

/// A worker lives through SIGPIPE, and does not have it ignored: a program that is started would ignore it, too, and a shell
/// would not have its usual pipes.
@Suite("A program that a handler starts")
struct ChildSignalTests {
  private static let brokenPipe = UInt64(1) << UInt64(SIGPIPE - 1)

  /// Whether SIGPIPE is in a mask of what the kernel says of a process.
  private func has(_ mask: String, _ process: RunningProcess) throws -> Bool {
    let status = try String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("\(mask):") }
    let signals = try #require(UInt64(line?.split(separator: "\t").last ?? "", radix: 16), "\(status)")
    return signals & Self.brokenPipe != 0
  }

  @Test(
    "does not ignore SIGPIPE, whether its worker has a server for its health or not",
    arguments: [[String](), ["--health", "127.0.0.1:0"]])
  func signals(options: [String]) async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker(["work=1"], options: ["--child"] + options)
    let job = try await system.submitOne("child", "--department", "work")
    #expect(try await system.outcomes(of: [job]) == [job: "succeeded"], "\(system.logs)")
    let ignored = try #require(system.endings(of: job).last.flatMap { UInt64($0, radix: 16) }, "\(system.effectLines)")
    #expect(ignored & Self.brokenPipe == 0, "it ignores the signals \(String(ignored, radix: 16))")
    let (catches, ignores) = (try has("SigCgt", worker), try has("SigIgn", worker))
    #expect(catches && !ignores, "the worker itself")
    // A reader that ends does not end the worker.
    worker.signal(SIGPIPE)
    let next = try await system.submitOne("effect", "--payload", "{}")
    #expect(try await system.outcomes(of: [next]) == [next: "succeeded"], "\(system.logs)")
    #expect(system.effects.last?.pid == worker.pid)
    for process in [worker, coordinator] { try await process.close() }
  }
}
