internal import COpenSSL
import Processes

/// A PEM file as OpenSSL reads one: without a byte-order mark, and with LF behind each line, whatever editor has saved it.
enum PEMFile {
  /// Far more than the authorities of any system.
  private static let sizeLimit = 16 << 20

  /// Hands over the file. Blocks its thread, for little more than `FileReads.patience` at most.
  ///
  /// - Returns: What the body returns; nil: the file is too large, or there is no memory.
  /// - Throws: `FileProblem`.
  static func read<Value>(_ path: String, _ body: (OpaquePointer) -> Value) throws(FileProblem) -> Value? {
    let file = try FileReads.shared.content(of: path, atMost: sizeLimit + 1, within: FileReads.patience).bytes
    if file.count > sizeLimit { return nil }
    return bytes(file).withUnsafeBytes { bytes -> Value? in
      guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
      defer { BIO_free(bio) }
      return body(bio)
    }
  }

  private static func bytes(_ file: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    var last: UInt8 = 0
    for byte in file.starts(with: [0xEF, 0xBB, 0xBF]) ? file.dropFirst(3) : file[...] {
      if byte == UInt8(ascii: "\r") {
        bytes.append(UInt8(ascii: "\n"))
      } else if byte != UInt8(ascii: "\n") || last != UInt8(ascii: "\r") {
        bytes.append(byte)
      }
      last = byte
    }
    return bytes
  }

  /// Reads every certificate there is.
  ///
  /// - Returns: Whether there is one, and OpenSSL takes each.
  static func eachCertificate(_ bio: OpaquePointer, _ take: (OpaquePointer) -> Bool) -> Bool {
    ERR_clear_error()
    var count = 0
    while let certificate = PEM_read_bio_X509_AUX(bio, nil, nil, nil) {
      defer { X509_free(certificate) }
      guard take(certificate) else { return false }
      count += 1
    }
    let end = ERR_peek_last_error()
    ERR_clear_error()
    // That no further one begins is the end.
    return count > 0 && teller_ssl_library(end) == ERR_LIB_PEM && teller_ssl_reason(end) == PEM_R_NO_START_LINE
  }
}
