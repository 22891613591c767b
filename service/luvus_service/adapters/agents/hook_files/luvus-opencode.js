// luvus-managed: tells Luvus which session is in this pane. Outside of Luvus it does nothing.
import { spawn } from "node:child_process"

const luvus = process.env.LUVUS_BIN_PATH
const pane = process.env.LUVUS_PANE_ID

function tell(method, params) {
  const child = spawn(luvus, ["uhp", "proxy"], { stdio: ["pipe", "ignore", "ignore"], detached: true })
  child.on("error", () => {})
  child.stdin.on("error", () => {})
  child.stdin.end(JSON.stringify({ id: "hook", method, params: { pane, agent: "opencode", ...params } }) + "\n")
  child.unref()
}

export const LuvusPlugin = async () => {
  if (!luvus || !pane) return {}
  let told = ""
  return {
    event: async ({ event }) => {
      const info = event?.properties?.info
      const id = event?.properties?.sessionID ?? info?.sessionID ?? info?.id
      if (typeof id === "string" && id.startsWith("ses_") && id !== told && !info?.parentID) {
        told = id
        tell("pane.report_session", { session_id: id })
      }
      if (event?.type === "session.idle" || event?.type === "permission.updated") {
        tell("pane.report_event", { kind: event.type })
      }
    },
  }
}
