import Foundation
import Synchronization

/// Starts child processes that inherit three descriptors and nothing else: no other descriptor, no ignored signal, no
/// signal mask, not the terminal's process group. (Foundation's `Process` leaves a socket in the child and notices its
/// end only when every grandchild that inherited it has ended too.)
enum Spawning {
  /// Held by whoever makes a pipe for a child, until that child is started. A child that is started at the same moment
  /// would inherit the pipe, and its output would not come to an end before both have ended.
  static let turn = Mutex(())

  /// - Returns: the process id.
  /// - Throws: `POSIXError` when it cannot be started.
  static func spawn(
    _ executable: String, arguments: [String], environment: [String: String], workingDirectory: String?,
    descriptors: [Int32]
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    try check(posix_spawn_file_actions_init(&actions))
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (target, descriptor) in descriptors.enumerated() {
      try check(posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(target)))
    }
    for open in openDescriptors where Int(open) >= descriptors.count {
      try check(posix_spawn_file_actions_addclose(&actions, open))
    }
    var attributes = posix_spawnattr_t()
    try check(posix_spawnattr_init(&attributes))
    defer { posix_spawnattr_destroy(&attributes) }
    try setSignals(of: &attributes)

    var pid = pid_t()
    let variables = environment.map { "\($0.key)=\($0.value)" }
    // The system's own call for the folder is not visible to Swift.
    let folder = workingDirectory.map { ["/usr/bin/env", "--chdir=\($0)"] } ?? []
    let command = folder + [executable] + arguments
    try withCStrings(command) { argv in
      try withCStrings(variables) { envp in
        try check(posix_spawn(&pid, command[0], &actions, &attributes, argv, envp))
      }
    }
    return pid
  }

  /// Waits until a child has ended; blocks the thread. The child's id stays its own until `ended` has returned.
  static func await(_ pid: pid_t, ended: (_ status: Int32) -> Void) {
    var information = siginfo_t()
    while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    ended(shellStatus(of: information))
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
  }

  /// The exit status as a shell tells it: 128 + N for signal N.
  private static func shellStatus(of information: siginfo_t) -> Int32 {
    #if os(Linux)
      let status = information._sifields._sigchld.si_status
    #else
      let status = information.si_status
    #endif
    return information.si_code == Int32(CLD_EXITED) ? status : 128 + status
  }

  /// What the child must not inherit although it was not opened close-on-exec: libraries in C do that. On a Mac an
  /// attribute does the same.
  private static var openDescriptors: [Int32] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    return (names ?? []).compactMap { Int32($0) }
  }

  private static func setSignals(of attributes: inout posix_spawnattr_t) throws {
    var all = sigset_t()
    var none = sigset_t()
    sigfillset(&all)
    sigemptyset(&none)
    try check(posix_spawnattr_setsigdefault(&attributes, &all))
    try check(posix_spawnattr_setsigmask(&attributes, &none))
    try check(posix_spawnattr_setpgroup(&attributes, 0))
    var flags = Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETPGROUP)
    #if !os(Linux)
      flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
    #endif
    try check(posix_spawnattr_setflags(&attributes, Int16(flags)))
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Result
  ) rethrows -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return try body(copies + [nil])
  }

  /// These functions return their error; `errno` is not theirs.
  private static func check(_ code: Int32) throws {
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
  }
}
