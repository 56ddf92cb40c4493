import NIOCore
import Processes

/// The threads of what listens. NIO starts one for each core with the first server or client of a process, and ends the
/// process where it cannot.
package enum ServerThreads {
  /// Why they cannot be started, in the system's words; nil: they can.
  package static var problem: String? { OwnThread.problem(ofStarting: System.coreCount) }

  /// What to do then.
  package static let cure = "let the process have more of them (pids.max, TasksMax=, ulimit -u)"
}
