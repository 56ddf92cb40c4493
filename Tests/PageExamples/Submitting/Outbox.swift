import Teller

/// A row of the table `outbox`: a letter that is to be submitted. The database has made its id.
struct OutboxRow: Sendable {
  var id: JobID
  var letter: Letter.Payload
}

/// The table `outbox` of a database.
protocol Outbox: Sendable {
  func oldest(_ limit: Int) async throws -> [OutboxRow]
  func delete(_ ids: [JobID]) async throws
}

func submitRows(of outbox: some Outbox, with client: TellerClient) async throws {
  let rows = try await outbox.oldest(1_000)
  let letters = try rows.map { try JobSubmission(Letter.self, $0.letter, id: $0.id) }
  try await client.submit(contentsOf: letters)
  try await outbox.delete(rows.map(\.id))
}
