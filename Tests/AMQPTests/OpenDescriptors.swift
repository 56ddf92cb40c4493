import Foundation

/// What the open descriptors of this process refer to, such as `socket:[1234]`. Other tests open and close descriptors
/// at the same time: their numbers say nothing, this does.
enum OpenDescriptors {
  private static let folder = "/proc/self/fd"

  static func target(of descriptor: Int32) throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(descriptor)")
  }

  static func targets() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { number in
      // One may close while the folder is being read.
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(number)")
    }
  }
}
