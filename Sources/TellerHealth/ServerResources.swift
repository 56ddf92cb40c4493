import NIOCore
import Processes

/// What a server takes of its process beside its connections. NIO starts its event loops with the first server or client of
/// a process, each of them a thread with some descriptors, and ends the process where it cannot.
package enum ServerResources {
  /// How many event loops a process of Teller's has at most. NIO would start one for each core, which no server here needs.
  private static let mostLoops = 4
  /// Of one event loop: epoll, a timer, an event.
  private static let descriptorsOfLoop = 3
  /// So many descriptors are for all of them. More loops are those of somebody else's program, and may have been started by
  /// now.
  package static var descriptors: Int { min(NIOSingletons.groupLoopCountSuggestion, mostLoops) * descriptorsOfLoop }

  /// Limits the event loops of the process. To be called once, before anything else of NIO; in a program of somebody else's
  /// it is theirs to say.
  package static func limitLoops() { NIOSingletons.groupLoopCountSuggestion = min(mostLoops, System.coreCount) }

  /// What the process has too little of for a server, and what to do about it; nil: nothing.
  package static var problem: String? {
    let (left, needed) = (Descriptors.left, descriptors + Descriptors.last)
    if left.count < needed { return Descriptors.tooFew(left, needed: needed) }
    return OwnThread.problem(ofStarting: NIOSingletons.groupLoopCountSuggestion).map(tooFewThreads)
  }

  /// The words where a thread cannot be started, for that reason.
  package static func tooFewThreads(_ reason: String) -> String {
    "too few threads: \(reason); let the process have more of them (pids.max, TasksMax=, ulimit -u)"
  }
}
