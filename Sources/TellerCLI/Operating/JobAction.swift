import Teller

/// A command about jobs that are named, or about a scope.
enum JobAction: String {
  case cancel, replay, drop

  /// The command as the library names it.
  var word: JobOperation.Action { JobOperation.Action(rawValue: rawValue) }

  /// Carries the command out for the jobs with these ids.
  func change(_ jobs: [JobID], _ client: TellerClient) async throws -> JobChanges {
    switch self {
    case .cancel: try await client.cancel(jobs)
    case .replay: try await client.replay(jobs)
    case .drop: try await client.drop(jobs)
    }
  }

  /// Begins the command for all jobs of a scope.
  func begin(_ scope: JobScope, _ client: TellerClient) async throws -> JobOperation {
    switch self {
    case .cancel: try await client.cancel(scope)
    case .replay: try await client.replay(scope)
    case .drop: try await client.drop(scope)
    }
  }
}
