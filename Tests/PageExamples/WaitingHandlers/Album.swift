import Teller

struct Photo: JobHandler {
  static let kind: JobKind = "photo"
  struct Payload: Codable, Sendable { var address: String }
  struct File: Codable, Sendable { var path: String }

  func run(context: JobContext<Payload>) async throws -> File {
    File(path: "photos/\(context.payload.address)")
  }
}

struct Album: JobHandler {
  static let kind: JobKind = "album"
  struct Payload: Codable, Sendable { var cover: String }

  let client: TellerClient

  func run(context: JobContext<Payload>) async throws -> Photo.File {
    let cover = try JobSubmission(
      Photo.self, Photo.Payload(address: context.payload.cover), id: context.id(of: "cover"))
    return try await context.value(of: cover, through: client)
  }
}

func serve(_ configuration: TellerConfiguration) async throws {
  let client = try await TellerClient.connect(configuration)
  let worker = Worker(configuration, departments: ["photos": 2])
  worker.register(Photo())
  worker.register(Album(client: client))
  try await worker.run()
}
