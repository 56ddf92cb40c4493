import Teller

struct Greet: JobHandler {
  static let kind: JobKind = "greet"
  struct Payload: Codable, Sendable { var name: String }
  struct Greeting: Codable, Sendable { var text: String }

  func run(context: JobContext<Payload>) async throws -> Greeting {
    Greeting(text: "Good morning, \(context.payload.name)! (attempt \(context.attempt))")
  }
}

@main
struct Front {
  static func main() async throws {
    let worker = Worker(try TellerConfiguration.load(), departments: ["greet": 4])
    worker.register(Greet())
    try await worker.runService()
  }
}
