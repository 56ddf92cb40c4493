import Teller

struct Greet: JobHandler {
  static let kind: JobKind = "greet"
  struct Payload: Codable, Sendable { var name: String }
  struct Greeting: Codable, Sendable { var text: String }

  func run(context: JobContext<Payload>) async throws -> Greeting {
    Greeting(text: "Good morning, \(context.payload.name)!")
  }
}
