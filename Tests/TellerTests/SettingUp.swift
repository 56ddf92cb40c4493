import AMQP
import Testing
import TestSupport

/// How long a broker may take until a test's own part is set up on it; only ever spent on failure.
let setUpPatience: Duration = .seconds(300)

/// Sets a test's own part up, again for as long as the broker's own limits pass first: one that is busy may not find
/// the leader of a new quorum queue or stream in time. What trying again cannot cure is thrown at once.
func settingUp<Part: Sendable>(_ name: String, _ setUp: () async throws -> Part) async throws -> Part {
  var outcome: Result<Part, any Error>?
  try await eventually(name, within: setUpPatience) {
    do {
      outcome = .success(try await setUp())
    } catch let error as AMQPError where error.isTransient {
      throw error
    } catch {
      outcome = .failure(error)
    }
    return true
  }
  let found = try #require(outcome)
  return try found.get()
}
