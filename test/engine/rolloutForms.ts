import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { abortCommand } from "../../cli/commands/abort";
import { processIo } from "../../cli/io";
import { readConfig } from "../../cli/pulumi/config";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { type Printed, runWith } from "../cli/terminal";
import { environment } from "../support/engine";
import { newProject } from "../support/engineProject";

/**
 * Helpers for testing how `abort` edits config files. They compare what the real Pulumi CLI reads from the config
 * before and after the abort.
 */

export const KEY = "agent-platform:rollouts";

export interface Form {
  readonly name: string;
  /** The content of the stack's config file. If undefined, the file doesn't exist. */
  readonly stack?: string;
  /** The value of `agent-platform:rollouts` in Pulumi.yaml. */
  readonly project?: string;
  /** The expected content of the stack's config file after an abort at NOW. If undefined, the content isn't checked. */
  readonly becomes?: string;
}

export const NOW = "2026-11-23T09:02:00.000Z";
export const IN_BRACES = "{ stable: agent_front@12, candidate: agent_front@13, percent: 10 }";

interface Project {
  readonly read: () => Promise<{ readonly front: Readonly<Record<string, unknown>>; readonly others: unknown }>;
  readonly abort: () => Promise<Printed>;
  readonly text: () => string;
}

/** Runs a test in a new project with this form's config. */
async function withForm({ stack, project }: Form, test: (project: Project) => Promise<void>): Promise<void> {
  const created = newProject({ projectName: "phones" });
  const { root, directory } = created;
  const stackFile = join(directory, "Pulumi.dev.yaml");
  const projectConfig = project === undefined ? "" : `config:\n  ${KEY}: ${project}\n`;
  writeFileSync(join(directory, "Pulumi.yaml"), `name: phones\nruntime: nodejs\n${projectConfig}`);
  if (stack !== undefined) {
    writeFileSync(stackFile, stack);
  }
  const engine = await findOrInstallEngine();
  const world = { cwd: directory, env: environment(engine.directory, created, {}) };
  try {
    await test({
      async read() {
        const { [KEY]: rolloutsEntry, ...config } = await readConfig({ stack: "dev" }, { ...processIo(), ...world });
        const { front, ...rollouts } = JSON.parse(rolloutsEntry?.value ?? "{}");
        return { front, others: { config, rollouts } };
      },
      abort: () => runWith(abortCommand.run, ["front", "--stack", "dev"], { ...world, now: () => new Date(NOW) }),
      text: () => readFileSync(stackFile, "utf8"),
    });
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Converts the string "2.5" back to a number, because Pulumi writes 2.5 as a string. */
const withNumbers = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (_, entry) => (entry === "2.5" ? 2.5 : entry));

/** Asserts that an abort changes its own rollout and nothing else in the config. */
export const assertAbortWritten = (form: Form): Promise<void> =>
  withForm(form, async ({ read, abort, text }) => {
    const before = await read();
    const printed = await abort();
    assert.equal(printed.code, 0, printed.stderr);
    const { front, others } = await read();
    const aborted = { agent: "agent_front@13", percent: 0, at: NOW };
    assert.deepEqual(front, { ...before.front, percent: 0, aborted });
    assert.deepEqual(withNumbers(others), withNumbers(before.others));
    if (form.becomes !== undefined) {
      assert.equal(text(), form.becomes);
    }
  });
