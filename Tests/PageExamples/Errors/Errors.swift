import Teller

func answer(_ deposit: Deposit.Payload, with client: TellerClient) async -> String {
  do {
    let handle = try await client.submit(Deposit.self, deposit)
    return "\(try await handle.value(timeout: .seconds(30)).balance)"
  } catch let error as JobError {
    return "the deposit was not made: \(error.failure.message)"
  } catch let error as TellerError {
    return "try again later: \(error)"
  } catch {
    return "the request was cancelled"
  }
}

func isWorthARetry(_ error: JobError) -> Bool {
  switch error.failure.code {
  case JobFailure.Code.timeout, JobFailure.Code.tooLate, JobFailure.Code.lost: true
  default: false
  }
}
