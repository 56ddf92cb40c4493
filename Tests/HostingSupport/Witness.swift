package import Hosting
package import JobModel

/// A service that writes down what it is told, and then does what the test wants it to do.
package struct Witness: HostedService {
  package let name: String
  private let told: ToldCalls
  private let behave: @Sendable (_ call: String) async throws -> Void

  /// `behave`: is given the name of each call, and for jobs the attempt: `jobStarted 3`.
  package init(
    _ name: String, _ told: ToldCalls, behave: @escaping @Sendable (_ call: String) async throws -> Void = { _ in }
  ) {
    (self.name, self.told, self.behave) = (name, told, behave)
  }

  package func started() async throws { try await take("started") }
  package func opened() async throws { try await take("opened") }
  package func paused() async throws { try await take("paused") }
  package func resumed() async throws { try await take("resumed") }
  package func draining() async throws { try await take("draining") }
  package func stopped() async throws { try await take("stopped") }
  package func received(_ event: EventStatus) async throws { try await take("received") }
  package func jobStarted(_ job: HostedJob) async throws { try await take("jobStarted \(job.attempt ?? 0)") }
  package func jobEnded(_ end: HostedJobEnd) async throws {
    try await take("jobEnded \(end.job.attempt ?? 0) \(end.result.rawValue)")
  }

  private func take(_ call: String) async throws {
    told.note("\(name) \(call)")
    try await behave(call)
  }
}

/// An error of a service.
package struct ServiceMistake: Error {
  package init() {}
}
