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

/** An abort writes through the real Pulumi CLI. What `pulumi config` says before and after is the judge. */

export const KEY = "agent-platform:rollouts";

export interface Form {
  readonly name: string;
  /** The file of the stack; without it there is none. */
  readonly stack?: string;
  /** The value in the project's file. */
  readonly project?: string;
  /** What the file becomes. The time of the abort is NOW. */
  readonly becomes?: string;
}

export const NOW = "2026-11-23T09:02:00.000Z";
export const IN_BRACES = "{ stable: agent_front@12, candidate: agent_front@13, percent: 10 }";

interface Project {
  readonly read: () => Promise<{ readonly front: Readonly<Record<string, unknown>>; readonly others: unknown }>;
  readonly abort: () => Promise<Printed>;
  readonly text: () => string;
}

/** A project on the real CLI with the rollouts in this form. */
async function withForm({ stack, project }: Form, test: (project: Project) => Promise<void>): Promise<void> {
  const own = newProject({ projectName: "phones" });
  const { root, directory } = own;
  const file = join(directory, "Pulumi.dev.yaml");
  const ofProject = project === undefined ? "" : `config:\n  ${KEY}: ${project}\n`;
  writeFileSync(join(directory, "Pulumi.yaml"), `name: phones\nruntime: nodejs\n${ofProject}`);
  if (stack !== undefined) {
    writeFileSync(file, stack);
  }
  const engine = await findOrInstallEngine();
  const world = { cwd: directory, env: environment(engine.directory, own, {}) };
  try {
    await test({
      async read() {
        const { [KEY]: all, ...config } = await readConfig({ stack: "dev" }, { ...processIo(), ...world });
        const { front, ...rollouts } = JSON.parse(all?.value ?? "{}");
        return { front, others: { config, rollouts } };
      },
      abort: () => runWith(abortCommand.run, ["front", "--stack", "dev"], { ...world, now: () => new Date(NOW) }),
      text: () => readFileSync(file, "utf8"),
    });
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** As the engine reads it: Pulumi writes 2.5 as a text. */
const asRead = (value: unknown) => JSON.parse(JSON.stringify(value), (_, one) => (one === "2.5" ? 2.5 : one));

/** An abort changes its rollout alone, and nothing else of the config. */
export const abortIsWritten = (form: Form): Promise<void> =>
  withForm(form, async ({ read, abort, text }) => {
    const before = await read();
    const printed = await abort();
    assert.equal(printed.code, 0, printed.stderr);
    const { front, others } = await read();
    const aborted = { agent: "agent_front@13", percent: 0, at: NOW };
    assert.deepEqual(front, { ...before.front, percent: 0, aborted });
    assert.deepEqual(asRead(others), asRead(before.others));
    if (form.becomes !== undefined) {
      assert.equal(text(), form.becomes);
    }
  });
