import Teller

extension Failure {
  /// Runs a command about a plan or an event. A rejection names what was refused, and not a job.
  static func refusing<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch JobError.rejected(_, let failure) {
      throw Failure(.rejected, "the coordinator refuses: \(failure)")
    }
  }
}
