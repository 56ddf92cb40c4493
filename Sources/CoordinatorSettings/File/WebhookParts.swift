import Decisions
import JobModel
import Yams

/// The webhooks of the file. Their names are read before everything that names departments: each is a department, too.
struct WebhookParts {
  /// The department of each.
  private(set) var departments: Set<Department> = []
  private let entries: [(name: String, node: Node)]

  init(_ block: SettingsBlock<FileKey>, _ mistakes: inout Mistakes) {
    let named = block.entries(.webhooks, &mistakes) ?? []
    if named.count > WebhookSettings.limit {
      block.note(.webhooks, "there may be at most \(WebhookSettings.limit) webhooks, not \(named.count)", &mistakes)
    }
    entries = Array(named.prefix(WebhookSettings.limit))
    for entry in entries {
      if let department = WebhookSettings.department(of: entry.name) {
        departments.insert(department)
      } else {
        let longest = WebhookSettings.longestName
        mistakes.note(entry.node, "\"\(entry.name)\": the name of a webhook has at most \(longest) characters")
      }
    }
  }

  /// What the file says of each, and where.
  func settings(
    _ known: KnownDepartments, _ mistakes: inout Mistakes
  ) -> ([String: WebhookSettings], [String: WebhookLines]) {
    var (settings, lines): ([String: WebhookSettings], [String: WebhookLines]) = ([:], [:])
    for (name, node) in entries {
      guard let block = SettingsBlock<WebhookSettings.Keys>(node, named: "\"\(name)\"", &mistakes) else { continue }
      settings[name] = WebhookSettings(name: name, block, known, &mistakes)
      lines[name] = WebhookLines(
        on: block[.on]?.line ?? node.line, address: block[.addressFile]?.line, secret: block[.secretFile]?.line,
        previousSecret: block[.previousSecretFile]?.line)
    }
    return (settings, lines)
  }
}

/// Where the file names the filter and the files of a webhook.
struct WebhookLines: Hashable {
  /// Of its filter, or of the webhook.
  var on: Int?
  var address: Int?
  var secret: Int?
  var previousSecret: Int?
}
