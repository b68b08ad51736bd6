import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "../support/engine";

/** Found again in the environment of every process of a demo. */
export const MARK = `demo-${process.pid}`;
export const startDemo = ({ env = {}, ...options }: { detached?: boolean; env?: Record<string, string> } = {}) =>
  spawn(process.execPath, ["-r", "tsx/cjs", join(repository, "tools/demo.ts")], {
    cwd: repository,
    env: { ...process.env, DEMO_TEST: MARK, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...options,
  });
export const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("agent-platform-try-"));
