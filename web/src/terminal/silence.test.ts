/** Queries of every kind, to a terminal that may not answer and to one that does. */

import { Terminal } from "@xterm/headless";
import { describe, expect, test } from "vitest";

import { silence } from "./silence.js";

const QUERIES = [
  "\x1b[c",
  "\x1b[>c",
  "\x1b[=c",
  "\x1b[5n",
  "\x1b[6n",
  "\x1b[?6n",
  "\x1b[?15n",
  "\x1b[>q",
  "\x1b[?u",
  "\x1b[18t",
  "\x1b[14t",
  "\x1b[21t",
  "\x1b[4$p",
  "\x1b[?2004$p",
  "\x1bP$qm\x1b\\",
  "\x1bP$q q\x1b\\",
  "\x1bP+q544e\x1b\\",
  "\x1b]10;?\x07",
  "\x1b]11;?\x07",
  "\x1b]12;?\x1b\\",
  "\x1b]4;1;?\x07",
  "\x1bZ",
];

async function answers(silent: boolean, text: string): Promise<string> {
  const terminal = new Terminal({ allowProposedApi: true });
  if (silent) silence(terminal as never);
  let said = "";
  terminal.onData((data) => {
    said += data;
  });
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  terminal.dispose();
  return said;
}

describe("a viewer's terminal", () => {
  test.each(QUERIES)("does not answer %j", async (query) => {
    expect(await answers(true, query)).toBe("");
  });

  test("does not answer a query that arrives in pieces", async () => {
    const terminal = new Terminal({ allowProposedApi: true });
    silence(terminal as never);
    let said = "";
    terminal.onData((data) => {
      said += data;
    });
    for (const query of QUERIES) for (const character of query) terminal.write(character);
    await new Promise<void>((resolve) => terminal.write("", resolve));

    expect(said).toBe("");
  });

  test("would answer without being silenced", async () => {
    expect(await answers(false, "\x1b[c")).not.toBe("");
    expect(await answers(false, "\x1b[6n")).not.toBe("");
  });
});
