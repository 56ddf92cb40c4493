import ArgumentParser
import Teller

/// What `Deploy/bench` measures with: a producer, and one who watches. Each command prints lines of JSON; times are those
/// of the machine's monotonic clock in nanoseconds, so that they can be compared between processes.
@main
struct BenchProbe: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchprobe",
    abstract: "Submits, waits and watches for Deploy/bench.",
    subcommands: [
      SubmitCommand.self, LatencyCommand.self, PacedCommand.self, SinglesCommand.self, CountCommand.self,
      AcceptCommand.self, ServicesCommand.self,
    ]
  )
}

/// Connects as the environment says, runs, and closes.
func withClient<Value>(_ body: (TellerClient) async throws -> Value) async throws -> Value {
  let client = try await TellerClient.connect(TellerConfiguration.load(), name: "benchprobe")
  do {
    let value = try await body(client)
    await client.close()
    return value
  } catch {
    await client.close()
    throw error
  }
}
