public import JobModel
import JobTransport

// Lists of what there is beside jobs. Each page tells of one moment; what comes or goes between two pages may be missing.

extension TellerClient {
  /// Asks for a page of the workers that the coordinator has heard of, in the order of their ids.
  ///
  /// - Parameter query: Which workers, and where the page begins.
  /// - Returns: The page; its ``WorkerPage/next`` is the `after` of the page after it.
  /// - Throws: ``TellerError/refused(_:)`` with the code `unknown_department`; ``TellerError/invalid(reason:)``;
  ///   ``TellerError`` when no coordinator answers; `CancellationError`.
  public func workers(_ query: WorkerQuery = WorkerQuery()) async throws -> WorkerPage {
    if let problem = query.problem { throw TellerError.invalid(reason: problem) }
    return try await core.ask(.workers(query))
  }

  /// Asks for all schedules of the coordinator's `teller.yaml`, by name.
  ///
  /// - Returns: The schedules, with their next and their last firing.
  /// - Throws: ``TellerError`` when no coordinator answers; `CancellationError`.
  public func schedules() async throws -> [ScheduleStatus] {
    var schedules: [ScheduleStatus] = []
    var query = ScheduleQuery()
    repeat {
      let page: SchedulePage = try await core.ask(.schedules(query))
      schedules += page.schedules
      query.after = page.next
    } while query.after != nil
    return schedules
  }

  /// Asks for a page of the keys that are taken, by kind and key.
  ///
  /// - Parameter query: Which keys, and where the page begins.
  /// - Returns: The page; its ``KeyPage/next`` is the `after` of the page after it.
  /// - Throws: ``TellerError/invalid(reason:)``; ``TellerError`` when no coordinator answers; `CancellationError`.
  public func keys(_ query: KeyQuery = KeyQuery()) async throws -> KeyPage {
    if let problem = query.problem { throw TellerError.invalid(reason: problem) }
    return try await core.ask(.keys(query))
  }

  /// Asks for a page of what operators did, the newest first.
  ///
  /// - Parameter query: Which actions, and where the page begins.
  /// - Returns: The page; its ``ActionPage/next`` is the `before` of the page after it.
  /// - Throws: ``TellerError/invalid(reason:)``; ``TellerError`` when no coordinator answers; `CancellationError`.
  public func actions(_ query: ActionQuery = ActionQuery()) async throws -> ActionPage {
    if let problem = query.problem { throw TellerError.invalid(reason: problem) }
    return try await core.ask(.actions(query))
  }
}
