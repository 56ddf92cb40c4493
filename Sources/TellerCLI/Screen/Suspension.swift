@preconcurrency import Dispatch
import Foundation

/// Ctrl-Z, for a command that has to give the terminal back before it stops.
enum Suspension {
  /// An element for each Ctrl-Z from now on. None where the process was started to ignore it.
  static func requests() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    guard !SignalDisposition.isIgnored(SIGTSTP) else { return stream }
    #if canImport(Darwin)
      signal(SIGTSTP, SIG_IGN)
    #endif
    let source = DispatchSource.makeSignalSource(signal: SIGTSTP)
    source.setEventHandler { continuation.yield() }
    continuation.onTermination = { _ in source.cancel() }
    source.resume()
    return stream
  }

  /// Stops the process as the signal does by default. Returns when the shell lets the process go on, or at once where no
  /// shell could: then the kernel does not stop the process.
  static func stop() {
    var (usual, trapped) = (sigaction(), sigaction())
    sigaction(SIGTSTP, &usual, &trapped)
    var (only, blocked) = (sigset_t(), sigset_t())
    sigemptyset(&only)
    sigaddset(&only, SIGTSTP)
    // To this thread, so that it is stopped before the next line.
    pthread_sigmask(SIG_UNBLOCK, &only, &blocked)
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &blocked, nil)
    sigaction(SIGTSTP, &trapped, nil)
  }
}
