import Teller

func waitForValue(with client: TellerClient) async throws {
  let deposit = try await client.submit(Deposit.self, Deposit.Payload(account: "A-17", cents: 500))
  do {
    let receipt = try await deposit.value(timeout: .seconds(30))
    print("the balance is \(receipt.balance)")
  } catch let error as JobError {
    print(error.failure.code, error.failure.message)
  } catch TellerError.timedOut {
    print("not yet: ask again later, by the id \(deposit.id)")
  }
}

func waitForOutcome(of deposit: JobHandle<Deposit.Receipt>) async throws {
  switch try await deposit.outcome() {
  case .succeeded(let result, let contentType): print(result.count, contentType ?? "")
  case .failed(let failure): print("failed: \(failure)")
  case .cancelled(let failure): print("cancelled: \(failure)")
  }
}

func waitAgain(for id: JobID, with client: TellerClient) async throws {
  let deposit = client.handle(of: id, as: Deposit.Receipt.self)
  let receipt = try await deposit.value(timeout: .seconds(30))
  print(receipt.balance)
}

func waitForKey(with client: TellerClient) async throws -> Outcome {
  let outcome = try await client.outcome(of: JobKey(kind: "letter", key: "statement/2027-03/7"))
  return outcome
}

func waitForMany(_ ids: [JobID], with client: TellerClient) async throws {
  for try await end in client.outcomes(of: ids) {
    switch end {
    case .ended(let job): print(job.id, job.state)
    case .unknown(let id): print(id, "is not known")
    }
  }
}

func look(at id: JobID, with client: TellerClient) async throws {
  let job = try await client.job(id)
  print(job.state, job.attempt, job.outcome?.failure?.code ?? "")
}

func waitForAcceptance(of submission: JobSubmission<NoResult>, with client: TellerClient) async throws {
  let letter = try await client.submit(submission)
  try await letter.accepted(timeout: .seconds(30))
}
