package import JobModel

/// A call of the life cycle of a host.
package enum LifeCall: String, Hashable, Sendable, CaseIterable {
  case started, opened, paused, resumed, draining, stopped
}

/// One call to a service.
package enum HostCall: Hashable, Sendable {
  case life(LifeCall)
  case received(EventStatus)
  case jobStarted(HostedJob)
  case jobEnded(HostedJobEnd)
}

extension HostCall: CustomStringConvertible {
  /// The call's name, as a service implements it.
  package var description: String {
    switch self {
    case .life(let call): call.rawValue
    case .received: "received"
    case .jobStarted: "jobStarted"
    case .jobEnded: "jobEnded"
    }
  }
}

extension HostedService {
  /// Carries a call out.
  func take(_ call: HostCall) async throws {
    switch call {
    case .life(.started): try await started()
    case .life(.opened): try await opened()
    case .life(.paused): try await paused()
    case .life(.resumed): try await resumed()
    case .life(.draining): try await draining()
    case .life(.stopped): try await stopped()
    case .received(let event): try await received(event)
    case .jobStarted(let job): try await jobStarted(job)
    case .jobEnded(let end): try await jobEnded(end)
    }
  }
}
