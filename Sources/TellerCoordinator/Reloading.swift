import Coordinator
import CoordinatorSettings
import Foundation
import JobModel
import JobTransport
import Logging
import Teller

/// Has a coordinator read its settings again when it is told to: one reading at a time, and after a burst once more.
struct Reloading: Sendable {
  let service: CoordinatorService
  /// The settings of the start. Some of them stay until the end.
  let started: ProcessSettings
  let logger: Logger
  /// Reads the settings of that file, with the flags and the environment of the start.
  let load: @Sendable (_ file: String) throws(WrongSettings) -> ProcessSettings
  /// Fired for each reading that is wanted; those that come during a reading are one.
  let wanted = Signal()

  /// Goes on until the task is cancelled.
  func run() async {
    while await wanted.wait() { await reload() }
  }

  private func reload() async {
    guard let file = started.file else {
      return logger.warning("there is no configuration file to be read again: nothing changes")
    }
    switch await read(file) {
    case nil: return
    case .success(let settings):
      service.take(settings.broker.brokerURL)
      service.reconfigure(settings.coordinator, from: file, left: started.needingRestart(in: settings))
    case .failure(let wrong):
      for line in wrong.lines { logger.error("\(line.onOneLine)") }
      logger.error("nothing is changed: \(wrong.summary)")
    }
  }

  /// A file system that hangs holds up a thread of its own for a while, and not the coordinator or its end.
  ///
  /// - Returns: The settings, or their mistakes; nil: the task was cancelled.
  private func read(_ file: String) async -> Result<ProcessSettings, WrongSettings>? {
    do {
      return .success(try await OneShot.onThread(named: "teller-reload") { try load(file) })
    } catch let wrong as WrongSettings {
      return .failure(wrong)
    } catch is CancellationError {
      return nil
    } catch {
      logger.error("nothing is changed: \(error)")
      return nil
    }
  }
}
