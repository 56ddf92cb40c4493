import HTTPTypes
import Hummingbird
import JobModel
import NIOCore
import Teller

/// A stream of live news to one browser.
struct LiveAnswer: Sendable {
  let hub: Hub
  let doorkeeper: Doorkeeper
  let departments: [Department]
  /// The last event that the browser has had.
  let position: EventPosition?
  let owner: StreamCounts.Owner

  static let contentType = "text/event-stream"

  /// The answer to a request, which lasts until the browser goes, or the page ends.
  ///
  /// - Throws: `PageProblem` when there are too many streams.
  func response(to request: Request) throws(PageProblem) -> Response {
    if let problem = doorkeeper.beginStream(owner) { throw .tooMany(problem, wait: .seconds(10)) }
    var headers = SecurityHeaders.fields
    headers[.contentType] = LiveAnswer.contentType
    headers[.cacheControl] = SecurityHeaders.never
    // A proxy is not to wait until there is more.
    if let buffering = HTTPField.Name("X-Accel-Buffering") { headers[buffering] = "no" }
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        defer { doorkeeper.endStream(owner) }
        // It is cancelled when the browser goes.
        try await request.body.consumeWithCancellationOnInboundClose { _ in try await tell(&writer) }
        try await writer.finish(nil)
      })
  }

  private func tell(_ writer: inout any ResponseBodyWriter) async throws {
    try await writer.write(LiveMessage.opening)
    guard let viewer = await hub.open(departments, after: position) else { return }
    do {
      // A write waits until the browser has taken what was sent before. One that takes nothing is disconnected.
      // Nobody watches on who has signed out: a beat comes every two seconds.
      while let message = try await hub.next(viewer), doorkeeper.isIn(owner.session) {
        try await writer.write(message)
      }
      await hub.close(viewer)
    } catch {
      await hub.close(viewer)
      throw error
    }
  }
}
