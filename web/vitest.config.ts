import { defineConfig, mergeConfig } from "vitest/config";

import built from "./vite.config.js";

export default mergeConfig(
  built,
  defineConfig({
    server: { fs: { allow: [".."] } },
    test: {
      include: ["src/**/*.test.ts", "../clients/typescript/tests/**/*.test.ts"],
      testTimeout: 10_000,
    },
  }),
);
