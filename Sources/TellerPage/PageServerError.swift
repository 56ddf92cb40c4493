public import TellerHealth

/// Why a ``PageServer`` does not run.
public enum PageServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The address is taken, or is no address of this machine. Choose another.
  case cannotListen(HealthAddress, reason: String)
  /// The page no longer answers. Start it again.
  case ended(reason: String)
  /// The process has too few threads or file descriptors. Let it have more of them.
  case noResources(reason: String)

  /// One line: what happened, and what to do about it.
  public var description: String {
    switch self {
    case .cannotListen(let address, let reason):
      "the page cannot be served at \(address): \(reason); choose an address of this machine and a port that is free"
    case .noResources(let reason): "the page cannot be served: \(reason)"
    case .ended(let reason): "the page is no longer served: \(reason); start it again"
    }
  }
}
