internal import CDigest

/// Digests of bytes, where equal bytes must have equal names.
package enum Digest {
  /// SHA-1: twenty bytes. It protects from no forger.
  package static func sha1(of bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
    // All digests would be the same one otherwise.
    precondition(SHA1(bytes, bytes.count, &digest) != nil, "OpenSSL offers no SHA-1 on this machine")
    return digest
  }

  /// SHA-256: thirty-two bytes. Nobody can make two texts with the same digest.
  package static func sha256(of bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    precondition(SHA256(bytes, bytes.count, &digest) != nil, "OpenSSL offers no SHA-256 on this machine")
    return digest
  }
}
