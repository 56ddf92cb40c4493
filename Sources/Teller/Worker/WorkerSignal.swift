/// Tells one reader that there is work. Raised many times before the reader looks, it is seen once.
struct WorkerSignal: Sendable {
  let raised: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (raised, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func raise() {
    continuation.yield()
  }
}
