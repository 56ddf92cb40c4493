import ArgumentParser
import JobModel
import Teller

/// The names that a shell completes: the coordinator is asked for them.
enum NameCompletion {
  /// How long a person who has pressed the tabulator waits. Without an answer by then there are no names.
  static let patience: Duration = .milliseconds(500)
  /// How many of the newest jobs are asked for their kinds: a kind may have no worker now.
  private static let newestJobs = 200

  static var departments: CompletionKind {
    .custom { arguments, _, _ in
      await names(arguments) { try await $0.status().departments.map(\.department.name) }
    }
  }

  static var plans: CompletionKind {
    .custom { arguments, _, _ in
      await names(arguments) { client in
        let page = try await client.plans(PlanQuery())
        return page.plans.compactMap(\.name?.name) + (page.notStarted + page.stopped).map(\.name)
      }
    }
  }

  static var kinds: CompletionKind {
    .custom { arguments, _, _ in
      await names(arguments) { client in
        let workers = try await client.workers(WorkerQuery(limit: WorkerQuery.limits.upperBound)).workers
        let jobs = try await client.jobs(JobQuery(limit: newestJobs)).jobs
        return workers.flatMap { $0.kinds ?? [] }.map(\.name) + jobs.map(\.kind.name)
      }
    }
  }

  /// The names, each once and in order; none after any failure: a message would stand in the middle of what the person
  /// types. `arguments`: what was typed so far, which may name a broker or a file.
  private static func names(
    _ arguments: [String], _ ask: @escaping @Sendable (TellerClient) async throws -> [String]
  ) async -> [String] {
    let answer = OneShot<[String]>()
    Task { answer.fulfil(.success((try? await GlobalOptions.typed(arguments).names(ask)) ?? [])) }
    Task {
      try? await Task.sleep(for: patience)
      answer.fulfil(.success([]))
    }
    return Set((try? await answer.value) ?? []).sorted()
  }
}

extension GlobalOptions {
  /// The options that tell where the broker is, out of an unfinished command line.
  fileprivate static func typed(_ arguments: [String]) throws -> GlobalOptions {
    var options: [String] = []
    for (name, value) in zip(arguments, arguments.dropFirst()) where ["--config", "--broker"].contains(name) {
      options += [name, value]
    }
    return try parse(options + (arguments.contains("--insecure") ? ["--insecure"] : []))
  }

  fileprivate func names(_ ask: @Sendable (TellerClient) async throws -> [String]) async throws -> [String] {
    var timeouts = ClientTimeouts.forPeople
    (timeouts.connect, timeouts.request) = (NameCompletion.patience, NameCompletion.patience)
    return try await withClient("completion", timeouts: timeouts, isQuiet: true, notesMistakes: false, ask)
  }
}
