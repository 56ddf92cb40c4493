import Hummingbird

/// The answer to every other path, and to every method but GET and HEAD.
struct NotFoundText<Context: RequestContext>: RouterMiddleware {
  let hasMetrics: Bool

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as HTTPError where error.status == .notFound {
      let metrics = hasMetrics ? ", GET /metrics" : ""
      let text = "there is GET /health (the process lives) and GET /ready (it does its work)\(metrics), nothing else\n"
      let body = request.method == .head ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(string: text))
      return Response(status: .notFound, headers: [.contentType: "text/plain; charset=utf-8"], body: body)
    }
  }
}
