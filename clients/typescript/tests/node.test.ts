/** The socket transport against a server of a few lines. */

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { Client } from "../src/client.js";
import { FRAME_BYTES, Lines, SocketTransport } from "../src/node.js";

let folder: string;
let server: Server;
let answer: (request: string, socket: Socket) => void;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lv-"));
  server = createServer((socket) => {
    socket.once("data", (data) => answer(data.toString(), socket));
  });
  await new Promise<void>((resolve) =>
    server.listen(join(folder, "s"), resolve),
  );
});

afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const client = () =>
  new Client(new SocketTransport(join(folder, "s"), "secret"));

test("a call sends one line and returns the result", async () => {
  let sent = "";
  answer = (request, socket) => {
    sent = request;
    socket.end('{"id":"1","result":{"type":"pong"}}\n');
  };

  expect(await client().call("ping")).toEqual({ type: "pong" });
  expect(JSON.parse(sent)).toEqual({
    id: "1",
    method: "ping",
    params: {},
    auth: "secret",
  });
});

test("a refusal keeps everything that the server said", async () => {
  const problem = { code: "revision_conflict", message: "changed", actual: 4 };
  answer = (_request, socket) =>
    socket.end(`${JSON.stringify({ id: "1", error: problem })}\n`);

  await expect(
    client().call("tab.new", { if_revision: 3 }),
  ).rejects.toMatchObject({ problem });
});

test("a server that hangs up is no answer", async () => {
  answer = (_request, socket) => socket.end();

  await expect(client().call("ping")).rejects.toMatchObject({
    name: "ConnectionLost",
  });
});

test("a server that is not there is a lost connection", async () => {
  const nobody = new Client(new SocketTransport(join(folder, "nobody")));

  await expect(nobody.call("ping")).rejects.toMatchObject({
    name: "ConnectionLost",
  });
});

test("a stream is acknowledged, brings frames, takes lines and ends", async () => {
  answer = (_request, socket) => {
    socket.write(
      '{"id":"1","result":{"type":"view_started"}}\n{"event":"view.out',
    );
    socket.once("data", (line) => {
      socket.end(`put","data":${line.toString().trim()}}\n`);
    });
  };
  const seen: unknown[] = [];
  await new Promise<void>((resolve) => {
    const channel = client().open(
      "view.pane",
      {},
      {
        acknowledged: (result) => {
          seen.push(result);
          channel.send({ action: "ack", end: 1 });
        },
        frame: (frame) => seen.push(frame),
        ended: () => resolve(),
      },
    );
  });

  expect(seen).toEqual([
    { type: "view_started" },
    { event: "view.output", data: { action: "ack", end: 1 } },
  ]);
});

test("lines come out whole however they were cut, also inside of a character", () => {
  const bytes = Buffer.from('"é"\n"日本"\n"rest');
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const lines = new Lines();
    const found = [
      ...lines.take(bytes.subarray(0, cut)),
      ...lines.take(bytes.subarray(cut)),
    ];
    expect(found).toEqual(['"é"', '"日本"']);
  }
});

test("a line without an end is given up at the size of a frame", () => {
  const lines = new Lines();
  expect(() => lines.take(Buffer.alloc(FRAME_BYTES + 1, 97))).toThrow(
    /more than/,
  );
});
