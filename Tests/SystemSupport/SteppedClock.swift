package import Foundation
import TestSupport

/// The wall clock of processes that are launched with its environment. It is set while they run, and every other clock of
/// theirs goes on.
package struct SteppedClock: Sendable {
  /// What tests set a clock by, one after the other: in the end it is right again.
  package static let steps: [Duration] = [
    .seconds(-86_400), .zero, .seconds(86_400), .zero, .seconds(-120), .zero, .seconds(120), .zero,
  ]

  private let file: URL
  private let library: URL

  /// A clock that is right.
  ///
  /// - Parameters:
  ///   - folder: Where its files are.
  ///   - name: Theirs.
  /// - Throws: What the system says when the files cannot be written, or the library not be built.
  package init(in folder: URL, named name: String) async throws {
    file = folder.appending(path: "clock-\(name)")
    library = folder.appending(path: "clock-\(name).so")
    try set(ahead: .zero)
    let source = PackageFolder.url.appending(path: "Tests/SteppedClock/stepped-clock.c")
    let compiler = try RunningProcess.launch(
      URL(filePath: "/usr/bin/env"),
      arguments: ["clang", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library.path, source.path])
    guard try await compiler.waitForExit(within: TellerSystem.limit) == 0 else {
      throw NotCompiled(errors: compiler.text(of: .standardError))
    }
  }

  /// What a process is launched with that goes by it.
  package var environment: [String: String] { ["LD_PRELOAD": library.path, "STEPPED_CLOCK": file.path] }

  /// Sets it to so much later than it is.
  ///
  /// - Throws: What the system says when that cannot be written.
  package func set(ahead time: Duration) throws {
    let open = open(file.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard open >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    defer { close(open) }
    var nanoseconds = Int64(time / .nanoseconds(1))
    // The same eight bytes: whoever has the file in memory sees either time.
    guard pwrite(open, &nanoseconds, MemoryLayout<Int64>.size, 0) == MemoryLayout<Int64>.size else {
      throw POSIXError(.init(rawValue: errno) ?? .EIO)
    }
  }

  /// Why there is no such clock.
  package struct NotCompiled: Error, CustomStringConvertible {
    let errors: [String]
    /// What the compiler says.
    package var description: String { "the clock's library was not compiled: \(errors.joined(separator: "\n"))" }
  }
}
