// luvus-managed: tells Luvus which session is in this pane. Outside of Luvus it does nothing.
import { spawn } from "node:child_process"

const luvus = process.env.LUVUS_BIN_PATH
const pane = process.env.LUVUS_PANE_ID
const agent = "@AGENT@"

function tell(method: string, params: object) {
  const child = spawn(luvus as string, ["uhp", "proxy"], { stdio: ["pipe", "ignore", "ignore"], detached: true })
  child.on("error", () => {})
  child.stdin.on("error", () => {})
  child.stdin.end(JSON.stringify({ id: "hook", method, params: { pane, agent, ...params } }) + "\n")
  child.unref()
}

export default function (api: any) {
  if (!luvus || !pane) return
  const report = (_event: unknown, context: any) => {
    const id = context?.sessionManager?.getSessionId?.()
    if (typeof id === "string" && id) tell("pane.report_session", { session_id: id })
  }
  for (const name of ["session_start", "session_switch", "session_fork"]) api.on(name, report)
  api.on("agent_end", () => tell("pane.report_event", { kind: "agent_end" }))
}
