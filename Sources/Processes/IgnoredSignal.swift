internal import CProcess

/// Whether the process ignores a signal, as it ignores SIGHUP when it was started with `nohup`.
package func ignores(_ signal: Int32) -> Bool { teller_ignores_signal(signal) != 0 }

/// Has SIGPIPE passed over again, as since the start of the process, where a library has had it ignored meanwhile: what a
/// handler starts would ignore it, too. NIO does that with its first socket.
package func passOverBrokenPipesAgain() { teller_pass_over_broken_pipes_again() }
