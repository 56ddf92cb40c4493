import AMQP
import JobModel
import JobTransport
import Logging

/// The end of a worker: a drain lets running and claimed jobs finish, a close does not.
extension WorkerLoop {
  /// See ``WorkerState/drain(at:)``. `ended` is raised at the end.
  func drain() { take(.drain) }

  /// Tells the coordinator not to wait for this worker, if there is a connection.
  func publishGoodbye() async {
    guard let link else { return }
    let message = PresenceCodec.encode(presence(isGoodbye: true))
    let goodbye = OneShot.running { try await link.publishing.publish(message) }
    do {
      try await within(timeouts.goodbye, orThrow: { CancellationError() }) { try await goodbye.value }
    } catch let error as AMQPError {
      logger.debug("the goodbye was not sent: \(error)")
    } catch {
      // A broker that takes no messages must not keep the process: the publishing ends with the connection as well.
    }
  }

  /// Stops everything at once, and waits for no handler.
  ///
  /// - Returns: how many jobs are unfinished.
  func close() -> Int {
    watch?.cancel()
    for run in runs.values {
      run.control.cancel(.closed)
      run.grace?.cancel()
    }
    threads.close()
    return state.unfinished
  }
}
