import Teller

struct InitStep: JobHandler {
  static let kind: JobKind = "init-step"
  struct Payload: Codable, Sendable { var user: Int }

  func run(context: JobContext<Payload>) async throws -> NoResult {
    print(context.step?.name ?? "", "for user", context.payload.user)
    return NoResult()
  }
}

func serveThePlan() async throws {
  let worker = Worker(try TellerConfiguration.load(), departments: ["init": 2])
  worker.register(InitStep())
  try await worker.runService()
}
