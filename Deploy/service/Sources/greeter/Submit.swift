import Teller

extension Main {
  /// `greeter submit Ada`: submits a job for each name, as your server would do it, and prints the results.
  static func submit(_ names: ArraySlice<String>) async throws {
    let client = try await TellerClient.connect(.load())
    for name in names {
      let job = try await client.submit(Greet.self, .init(name: name))
      print(try await job.value(timeout: .seconds(60)).text)
    }
    await client.close()
  }
}
