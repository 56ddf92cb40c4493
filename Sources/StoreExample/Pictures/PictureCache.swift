import Foundation
import NIOCore
import Teller

/// The pictures of one machine, each in a file of its own.
///
/// A picture is written into a temporary file, and moved in one step when it is whole: nobody sees half a file, whatever
/// dies. One that is already there is success. The cache is bounded: the pictures that were used longest ago go.
struct PictureCache: Sendable {
  /// How much there is room for.
  struct Limits: Hashable, Sendable {
    var count = 1_000
    var bytes = 100_000_000
    /// Of one picture.
    var pictureBytes = 1_000_000
  }

  /// The types of pictures that are taken.
  static let types: Set<String> = ["image/png", "image/jpeg", "image/gif", "image/webp"]
  /// The longest path of a picture, in bytes: its file's name is made of it, and a key has 200.
  static let longestPath = 180
  /// A temporary file that is older than this was left behind by a worker that died.
  static let abandonedAfter: TimeInterval = 3_600

  let folder: URL
  var limits = Limits()

  /// Makes the folder if there is none, and removes what dead workers have left behind.
  func open() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let oldest = Date(timeIntervalSinceNow: -PictureCache.abandonedAfter)
    for entry in try entries(PictureCache.temporary) where entry.used < oldest {
      try? FileManager.default.removeItem(at: entry.file)
    }
  }

  /// The file of a picture; nil: it is not here. Counts as a use.
  func file(of path: String) throws -> URL? {
    let file = try place(of: path)
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file.path)
    return file
  }

  /// The file of a picture; it is downloaded if it is not here.
  ///
  /// - Throws: `PermanentFailure` for a picture that is too large or none; what the download throws.
  func fetch(_ path: String, from shop: ShopClient) async throws -> URL {
    if let file = try file(of: path) { return file }
    let place = try place(of: path)
    let temporary = folder.appending(path: "\(UUID().uuidString)\(PictureCache.temporary)")
    defer { try? FileManager.default.removeItem(at: temporary) }
    try Data().write(to: temporary)
    let handle = try FileHandle(forWritingTo: temporary)
    defer { try? handle.close() }
    var size = 0
    try await shop.picture(path) { type in
      guard type.map({ PictureCache.types.contains($0) }) == true else { throw PictureFailure.noPicture(path, type) }
    } _: { bytes in
      size += bytes.readableBytes
      if size > limits.pictureBytes { throw PictureFailure.tooLarge(path, limits.pictureBytes) }
      try handle.write(contentsOf: Data(bytes.readableBytesView))
    }
    // On disk before it has its name: else a machine that loses its power keeps the name of an empty file.
    try handle.synchronize()
    guard rename(temporary.path, place.path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    try makeRoom(beside: place)
    return place
  }

  /// Removes the pictures that were used longest ago, as many as are too many.
  private func makeRoom(beside newest: URL) throws {
    let all = try entries(PictureCache.ending).sorted { $0.used < $1.used }
    var (count, bytes) = (all.count, all.reduce(0) { $0 + $1.bytes })
    for entry in all where entry.file.lastPathComponent != newest.lastPathComponent {
      if count <= limits.count, bytes <= limits.bytes { break }
      // Another worker of this machine may have removed it.
      try? FileManager.default.removeItem(at: entry.file)
      (count, bytes) = (count - 1, bytes - entry.bytes)
    }
  }

  private static let ending = ".picture"
  private static let temporary = ".download"

  /// The name says the path: no two pictures have the same, and no path leads out of the folder.
  private func place(of path: String) throws -> URL {
    guard (1...PictureCache.longestPath).contains(path.utf8.count) else { throw PictureFailure.badPath(path) }
    let name = Data(path.utf8).base64EncodedString().replacing("/", with: "_").replacing("+", with: "-")
    return folder.appending(path: name + PictureCache.ending)
  }

  private struct Entry {
    var file: URL
    var bytes: Int
    var used: Date
  }

  private func entries(_ ending: String) throws -> [Entry] {
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: [.fileSizeKey, .contentModificationDateKey])
    return files.filter { $0.lastPathComponent.hasSuffix(ending) }.compactMap { file in
      guard let values = try? file.resourceValues(forKeys: [.fileSizeKey, .contentModificationDateKey]) else {
        return nil
      }
      return Entry(file: file, bytes: values.fileSize ?? 0, used: values.contentModificationDate ?? .distantPast)
    }
  }
}

/// What is wrong with a picture, for good.
enum PictureFailure {
  static func noPicture(_ path: String, _ type: String?) -> PermanentFailure {
    PermanentFailure(code: "no_picture", message: "\(path) is no picture: its type is \(type ?? "not said")")
  }

  static func tooLarge(_ path: String, _ limit: Int) -> PermanentFailure {
    PermanentFailure(code: "picture_too_large", message: "\(path) has more than \(limit) bytes")
  }

  static func badPath(_ path: String) -> PermanentFailure {
    PermanentFailure(
      code: "bad_path",
      message: "the path of a picture has 1–\(PictureCache.longestPath) bytes, and not \(path.utf8.count)")
  }
}
