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

  /// HMAC-SHA256 (RFC 2104): thirty-two bytes, which only those who have the key can make. A key has at most a few KiB.
  package static func hmac(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    let code = HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &digest, nil)
    precondition(code != nil, "OpenSSL offers no HMAC-SHA256 on this machine")
    return digest
  }

  /// Whether two digests are equal. It takes the same time wherever they differ, so that nobody can guess one byte by byte.
  package static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }
}
