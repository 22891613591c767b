/** Builds the pages into the Python package that serves them; nothing is fetched at run time. */

import { fileURLToPath } from "node:url";

import { defineConfig } from "vite";

const client = fileURLToPath(new URL("../clients/typescript/src", import.meta.url));

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  resolve: {
    alias: [
      { find: /^@luvus\/client$/, replacement: `${client}/index.ts` },
      { find: /^@luvus\/client\//, replacement: `${client}/` },
    ],
  },
  build: {
    outDir: "luvus_web/static",
    emptyOutDir: true,
    target: "es2023",
    // A page of the loopback is its own origin: nothing is gained by inlining, and the policy
    // allows fonts from files only.
    assetsInlineLimit: 0,
    reportCompressedSize: true,
  },
});
