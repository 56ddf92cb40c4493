extension Result where Success: Sendable {
  /// What an asynchronous body returns or throws; the standard library has this for a synchronous one.
  package init(ofAwaiting body: () async throws(Failure) -> Success) async {
    do throws(Failure) {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
