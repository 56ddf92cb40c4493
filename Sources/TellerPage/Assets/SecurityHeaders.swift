import HTTPTypes

/// What every answer says about itself. None of it comes from a request.
enum SecurityHeaders {
  /// Only the page's own files, nothing inside another page, and no text that becomes a script. The one policy names the script
  /// of the stream that windows share.
  static let contentPolicy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self'",
    "font-src 'none'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'",
    "require-trusted-types-for 'script'", "trusted-types teller-stream",
  ].joined(separator: "; ")

  /// The fields and their values.
  static let all: [(name: String, value: String)] = [
    ("Content-Security-Policy", contentPolicy), ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
  ]

  /// The same for an answer.
  static let fields: HTTPFields = {
    var fields = HTTPFields()
    for (name, value) in all { if let name = HTTPField.Name(name) { fields[name] = value } }
    return fields
  }()

  /// Of a file whose address changes with it.
  static let forEver = "public, max-age=31536000, immutable"
  /// Of everything else.
  static let never = "no-store"
}
