import Teller
import Tracing

func bootstrapTracing(_ tracer: some Tracer) {
  InstrumentationSystem.bootstrap(tracer)
}

func submitTraced(with client: TellerClient) async throws {
  try await withSpan("POST /deposits") { _ in
    _ = try await client.submit(Deposit.self, Deposit.Payload(account: "A-17", cents: 500))
  }
}
