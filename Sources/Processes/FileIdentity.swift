internal import CProcess

/// Which file a path names: the same path may name another file later.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64

  /// The identity of the file that has this path now; nil: there is none.
  package init?(_ path: String) {
    var (device, number): (UInt64, UInt64) = (0, 0)
    guard teller_file_identity(path, &device, &number) == 0 else { return nil }
    (self.device, self.number) = (device, number)
  }
}
