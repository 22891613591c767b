/**
 * Keeps a viewer's terminal from answering device queries. The server's terminal has answered them
 * already; a second answer would land in the program's input as if somebody had typed it.
 */

import type { IDisposable, IParser, Terminal } from "@xterm/xterm";

type Id = Parameters<IParser["registerCsiHandler"]>[0];

/** Control sequences that ask for an answer and do nothing else. */
const QUERIES: readonly Id[] = [
  { final: "c" },
  { prefix: ">", final: "c" },
  { prefix: "=", final: "c" },
  { final: "n" },
  { prefix: "?", final: "n" },
  { prefix: ">", final: "q" },
  { prefix: "?", final: "u" },
  { intermediates: "$", final: "p" },
  { prefix: "?", intermediates: "$", final: "p" },
  { final: "x" },
  { final: "t" },
  { prefix: ">", final: "t" },
  { intermediates: "*", final: "y" },
];
/** Colours that are set by these and asked for with `?`. */
const COLOURS = [4, 5, 10, 11, 12, 13, 14, 17, 19];
/** Where a program offers text for the clipboard, or asks for what is in it. */
export const CLIPBOARD = 52;

export function silence(terminal: Terminal): IDisposable[] {
  const parser = terminal.parser;
  return [
    ...QUERIES.map((id) => parser.registerCsiHandler(id, () => true)),
    parser.registerDcsHandler({ intermediates: "$", final: "q" }, () => true),
    parser.registerDcsHandler({ intermediates: "+", final: "q" }, () => true),
    parser.registerEscHandler({ final: "Z" }, () => true),
    ...COLOURS.map((code) =>
      parser.registerOscHandler(code, (data) => data.split(";").includes("?")),
    ),
    // A program's output must not reach the clipboard of whoever looks at it.
    parser.registerOscHandler(CLIPBOARD, () => true),
  ];
}
