import Foundation
import TestSupport
import Testing
import Yams

/// What the files of `Deploy` start, and who looks after it: a supervisor that starts it again, and a process 1 that hands on
/// signals and buries what dies.
@Suite("The files that start Teller")
struct StartedProcessesTests {
  @Test("a unit of systemd starts its process again; that of a worker also after an end that it has chosen itself")
  func units() throws {
    var workers = 0
    for unit in try files(in: "Deploy/systemd", where: { $0.hasSuffix(".service") }) {
      let text = try text(of: unit)
      func value(_ key: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix("\(key)=") }.map { String($0.dropFirst(key.count + 1)) }
      }
      // It is started by its timer.
      if value("Type") == "oneshot" { continue }
      let (program, restart) = (try #require(value("ExecStart"), "\(unit)"), value("Restart"))
      // A handler may end its process with 0, and an operator may drain a worker, which then ends well.
      let isWorker = !program.hasPrefix("/usr/local/bin/teller ") || program.contains("/teller webhooks ")
      if isWorker { workers += 1 }
      #expect(restart == "always" || !isWorker && restart == "on-failure", "\(unit): \(restart ?? "never")")
      #expect(value("RestartPreventExitStatus") == "64 78", "\(unit)")
    }
    #expect(workers == 2, "the bank's, and webhooks")
  }

  @Test("a service of Compose with an image of Teller has an init, its own or that of the service that it extends")
  func compose() throws {
    let base = try services(of: "compose.yaml")
    #expect(base.count > 5, "\(base.keys)")
    let others = try files(in: "Deploy") { path in
      path.hasSuffix(".yaml") && path.split(separator: "/").last?.hasPrefix("compose") == true
    }
    #expect(others.count > 2, "\(others)")
    for file in ["compose.yaml"] + others {
      for (name, service) in try services(of: file) {
        let isInit = service["init"] as? Bool
        #expect(isInit != false, "\(file): \(name)")
        // Without an image it only adds to a service of another file.
        guard let image = service["image"] as? String, !image.hasPrefix("rabbitmq:") else { continue }
        let extends = file != "compose.yaml" && (base[name] != nil || service.keys.contains("extends"))
        #expect(isInit == true || extends, "\(file): \(name)")
      }
    }
  }

  @Test("a container of Kubernetes has a program of Teller as its process 1, which is its own init")
  func kubernetes() throws {
    var containers = 0
    for file in try files(in: "Deploy/kubernetes", where: { $0.hasSuffix(".yaml") }) {
      for document in try Yams.load_all(yaml: try text(of: file)) {
        let spec = (document as? [String: Any])?["spec"] as? [String: Any]
        guard let pod = (spec?["template"] as? [String: Any])?["spec"] as? [String: Any] else { continue }
        // With it process 1 would be the pod's.
        #expect(!pod.keys.contains("shareProcessNamespace"), "\(file)")
        for container in pod["containers"] as? [[String: Any]] ?? [] {
          containers += 1
          #expect(container["image"] as? String == "teller:latest", "\(file)")
          // The entry point of the image stays.
          #expect(!container.keys.contains("command"), "\(file)")
          let variables = (container["env"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
          #expect(!variables.isEmpty && !variables.contains("TELLER_INIT"), "\(file): \(variables)")
        }
      }
    }
    #expect(containers == 4, "coordinator, worker, page, webhooks")
  }

  @Test("an image starts a program of Teller, with nothing before it that would stay and get its signals")
  func images() throws {
    let images = try files(in: "Deploy") { $0.split(separator: "/").last == "Dockerfile" }
    #expect(images.count == 2, "\(images)")
    for image in images {
      let lines = try text(of: image).split(separator: "\n")
      #expect(!lines.contains { $0.contains("TELLER_INIT") }, "\(image)")
      let entryPoint = lines.last { $0.hasPrefix("ENTRYPOINT ") }
      let start = try #require(entryPoint ?? lines.last { $0.hasPrefix("CMD ") }, "\(image)")
      // Without brackets a shell would run it.
      let program = try #require(start.firstMatch(of: /^[A-Z]+ \["([a-z-]+)"/), "\(image): \(start)").1
      let script = "Deploy/image/\(program)"
      guard FileManager.default.fileExists(atPath: PackageFolder.url.appending(path: script).path) else { continue }
      let steps = try text(of: script).split(separator: "\n")
      #expect(steps.contains { $0.hasPrefix("trap ") && $0.contains(" TERM") }, "\(script)")
      #expect(steps.last?.hasPrefix("exec teller ") == true, "\(script)")
    }
  }

  /// The paths of a folder's files, those of its folders too, that pass. What is hidden is somebody's own.
  private func files(in folder: String, where passes: (String) -> Bool) throws -> [String] {
    let root = PackageFolder.url.appending(path: folder)
    guard let names = FileManager.default.enumerator(atPath: root.path) else { throw CocoaError(.fileNoSuchFile) }
    return names.compactMap { $0 as? String }.sorted().map { "\(folder)/\($0)" }
      .filter { !$0.contains("/.") && passes($0) }
  }

  private func text(of file: String) throws -> String {
    try String(contentsOf: PackageFolder.url.appending(path: file), encoding: .utf8)
  }

  /// The services of a file of Compose. A placeholder of a template begins with a character that YAML reserves.
  private func services(of file: String) throws -> [String: [String: Any]] {
    let whole = try Yams.load(yaml: try text(of: file).replacing("@", with: "")) as? [String: Any]
    return whole?["services"] as? [String: [String: Any]] ?? [:]
  }
}
