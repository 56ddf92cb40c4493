import ArgumentParser
import Foundation
import Teller

struct PlanStopCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "Stops a plan, and decides about the jobs behind its gates.",
    discussion: """
      The steps of a plan that runs are cancelled. An open plan is open no longer. Events that nobody has acted on are kept \
      for the next run. Of a plan that has failed, the command only decides about the gates.

        --gates   the jobs behind the gates
        keep      they wait for the next run of the plan
        open      they are served
        cancel    those that wait or run now are cancelled; later ones wait

      Without --gates the command asks, if the plan has gates. Without a terminal it exits with 64 then.

      With --json one object: "plan", "before" (the phase before), "cancelled_steps", "gates", "departments", \
      "still_gated" (departments that another plan holds back, too), "operations" (the commands that cancel the jobs; `teller operation` shows their progress).

      EXAMPLE: teller plan stop opening --gates keep
      """
  )

  @Argument(help: "The plan's name.")
  var plan: PlanName

  @Option(help: "What becomes of the jobs behind the gates: keep, open or cancel.")
  var gates: GateChoice?

  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    try await answer.show("plan", { client in try await client.stopPlan(plan, gates: try await choice(client)) }) {
      PlanStopText.lines($0)
    }
  }

  private func choice(_ client: TellerClient) async throws -> GateChoice {
    if let gates { return gates }
    let gates = try await client.plan(plan).gates.map(\.department.name)
    if gates.isEmpty { return .keep }
    let choices = GateChoice.allCases.map(\.rawValue).joined(separator: ", ")
    let whose = "the jobs behind the gates of \(plan) (\(gates.joined(separator: ", ")))"
    guard TerminalSize.canAsk else {
      throw Failure(.usage, "there is no terminal to ask on: say with --gates what becomes of \(whose): \(choices)")
    }
    Output.question("What becomes of \(whose)? [\(choices)]")
    let answer = String(decoding: try await ByteChunks("-").next(), as: UTF8.self)
    Output.answered(answer)
    guard let choice = GateChoice(rawValue: answer.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()) else {
      throw Failure(.rejected, "nothing was changed")
    }
    return choice
  }
}

enum PlanStopText {
  static func lines(_ stop: PlanStop) -> [String] {
    var lines = ["plan \(stop.plan) was \(stop.before), and is stopped"]
    if stop.before == .failed { lines = ["plan \(stop.plan) has failed before"] }
    if stop.cancelledSteps > 0 {
      lines.append(stop.cancelledSteps == 1 ? "1 step is cancelled" : "\(stop.cancelledSteps) steps are cancelled")
    }
    if !stop.departments.isEmpty { lines.append("\(names(stop.departments)): \(fate(stop.gates))") }
    if !stop.stillGated.isEmpty, stop.gates != .cancel {
      lines.append("\(names(stop.stillGated)): jobs still wait for another plan, see `teller status`")
    }
    return lines + stop.operations.map { "operation \($0) cancels jobs: `teller operation \($0)`" }
  }

  private static func names(_ departments: [Department]) -> String {
    departments.map(\.name).joined(separator: ", ")
  }

  private static func fate(_ choice: GateChoice) -> String {
    switch choice {
    case .keep: "jobs wait for the next run"
    case .open: "jobs are served"
    case .cancel: "jobs are cancelled, and later ones wait for the next run"
    }
  }
}
