import { spawn } from "node:child_process";
import { join } from "node:path";
import { repository } from "../support/repository";
import "../support/built";

/** `mark` is found again in the environment of every process of it. */
export const startDemo = (mark: string, { env = {}, ...options }: { detached?: boolean; env?: object } = {}) =>
  spawn(process.execPath, ["-r", "tsx/cjs", join(repository, "tools/demo.ts")], {
    cwd: repository,
    env: { ...process.env, DEMO_TEST: mark, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...options,
  });
