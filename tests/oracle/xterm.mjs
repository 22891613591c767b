// Feeds steps of [{cols, rows, data}] to xterm.js and prints the screen after each, as JSON lines.
import { createRequire } from "node:module";

const need = createRequire(process.argv[2] + "/");
const { Terminal } = need("@xterm/headless");
const { Unicode11Addon } = need("@xterm/addon-unicode11");

const steps = JSON.parse(await new Promise((done) => {
  let text = "";
  process.stdin.on("data", (piece) => (text += piece)).on("end", () => done(text));
}));
const terminal = new Terminal({ cols: 80, rows: 24, scrollback: 1000, allowProposedApi: true });
terminal.loadAddon(new Unicode11Addon());
terminal.unicode.activeVersion = "11";
for (const step of steps) {
  terminal.resize(step.cols, step.rows);
  await new Promise((done) => terminal.write(Buffer.from(step.data, "base64"), done));
  const buffer = terminal.buffer.active;
  const lines = [];
  for (let row = 0; row < terminal.rows; row++) {
    lines.push(buffer.getLine(buffer.baseY + row).translateToString(true));
  }
  console.log(JSON.stringify({ lines, cursor: [buffer.cursorX, buffer.cursorY] }));
}
