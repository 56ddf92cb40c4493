import Foundation
import Teller

/// Gets one picture into the cache of its worker's machine.
///
/// The path is the key of the job, taken while it lives: whoever asks for a picture that is just being fetched gets that
/// job's outcome. Whoever asks later has a job of his own, which finds the file.
struct FetchPicture: JobHandler {
  static let kind: JobKind = "picture"
  static let policy = HandlerPolicy(attempts: 3, timeout: .seconds(30))

  struct Payload: Codable, Sendable { var path: String }
  struct Picture: Codable, Hashable, Sendable { var path: String; var file: String }

  let shop: ShopClient
  let cache: PictureCache

  func run(context: JobContext<Payload>) async throws -> Picture {
    let path = context.payload.path
    return Picture(path: path, file: try await cache.fetch(path, from: shop).path)
  }

  /// Asks for a picture. At once from five sides, it is one job.
  static func submission(_ path: String) throws -> JobSubmission<Picture> {
    guard path.utf8.count <= PictureCache.longestPath else { throw PictureFailure.badPath(path) }
    var submission = try JobSubmission(FetchPicture.self, Payload(path: path))
    (submission.key, submission.keyWindow) = (path, .whileLive)
    return submission
  }
}
