import Teller

func greetOnce() async throws {
  let client = try await TellerClient.connect(.load())
  let handle = try await client.submit(Greet.self, Greet.Payload(name: "Ada"))
  print(try await handle.value().text)
  await client.close()
}
