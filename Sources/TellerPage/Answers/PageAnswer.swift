import HTTPTypes
import Hummingbird
import JobModel
import NIOCore

/// An answer before it is HTTP.
struct PageAnswer: Sendable {
  var status: Int
  var contentType: String?
  var cache = SecurityHeaders.never
  var body: [UInt8]
  /// Further fields; none has a value from a request.
  var fields: [(name: HTTPField.Name, value: String)] = []

  static let jsonType = "application/json"
  static let done = PageAnswer(status: 204, contentType: nil, body: [])

  static func json(_ bytes: [UInt8]) -> PageAnswer { PageAnswer(status: 200, contentType: jsonType, body: bytes) }

  /// - Throws: `EncodingError`, for a number that JSON does not have.
  static func json(_ value: some Encodable) throws -> PageAnswer { json(try PrintedJSON.bytes(value)) }

  init(_ problem: PageProblem) {
    let document = (try? PrintedJSON.bytes(problem.document)) ?? Array("{}".utf8)
    self.init(status: problem.status, contentType: PageAnswer.jsonType, body: document)
    if let wait = problem.wait { fields = [(.retryAfter, "\(max(1, (wait.milliseconds + 999) / 1_000))")] }
  }

  init(
    status: Int, contentType: String?, cache: String = SecurityHeaders.never, body: [UInt8],
    fields: [(name: HTTPField.Name, value: String)] = []
  ) {
    (self.status, self.contentType, self.cache, self.body) = (status, contentType, cache, body)
    self.fields = fields
  }

  /// The same as HTTP. `isHead`: without the body, as for HEAD.
  func response(isHead: Bool) -> Response {
    var headers = SecurityHeaders.fields
    headers[.cacheControl] = cache
    headers[.contentType] = contentType
    for (name, value) in fields { headers[name] = value }
    if isHead { headers[.contentLength] = "\(body.count)" }
    return Response(
      status: HTTPResponse.Status(code: status), headers: headers,
      body: isHead || body.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }
}
