import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import fc from "fast-check";
import { abortCommand } from "../../cli/commands/abort";
import { processIo } from "../../cli/io";
import { readConfig } from "../../cli/pulumi/stacks";
import { findOrInstallEngine, withoutSettings } from "../../tools/engine/engine";
import { anyForm, FORMS, type Form, KEY, PULUMI_ALONE_READS } from "../cli/rolloutForms";
import { runWith } from "../cli/terminal";
import { newProject } from "../support/engineProject";

/** An abort of a rollout in every form that Pulumi reads. What `pulumi config` says before and after is the judge. */

const BY_PULUMI =
  "Pulumi writes all rollouts of the stack into Pulumi.dev.yaml, because front cannot be edited in place there.";

/** Aborts front in this form; resolves with whether Pulumi wrote the file. */
async function abort({ stack, project = "" }: Form): Promise<boolean> {
  const { root, directory, env } = newProject({ projectName: "phones" });
  const ofProject = project === "" ? "" : `config:\n  ${KEY}: ${project}\n`;
  writeFileSync(join(directory, "Pulumi.yaml"), `name: phones\nruntime: nodejs\n${ofProject}`);
  if (stack !== "") {
    writeFileSync(join(directory, "Pulumi.dev.yaml"), stack);
  }
  const engine = await findOrInstallEngine();
  const path = [engine.directory, process.env.PATH].join(delimiter);
  const world = { cwd: directory, env: { ...withoutSettings(process.env), ...env, PATH: path } };
  const read = async () => {
    const { [KEY]: all, ...others } = await readConfig("dev", { ...processIo(), ...world });
    const { front, ...rollouts } = JSON.parse(all?.value ?? "");
    return { front, others, rollouts };
  };
  const before = await read();
  const printed = await runWith(abortCommand.run, ["front", "--stack", "dev"], world);
  assert.equal(printed.code, 0, printed.stderr);
  const { front, ...others } = await read();
  const { candidate, percent: _, ...kept } = before.front;
  assert.deepEqual({ ...front, aborted: front.aborted?.agent }, { ...kept, aborted: candidate });
  assert.deepEqual(others, { others: before.others, rollouts: before.rollouts });
  rmSync(root, { recursive: true });
  return printed.stdout.includes(`\n${BY_PULUMI}\n`);
}

describe("an abort takes back a rollout, and changes no other value that Pulumi reads:", () => {
  for (const [name, form] of Object.entries({ ...FORMS, "that Pulumi alone reads": PULUMI_ALONE_READS })) {
    it(name, async () => assert.equal(await abort(form), form.isForPulumi === true));
  }

  it("any mixture of aliases and merge keys", async () => {
    await fc.assert(
      fc.asyncProperty(anyForm, async (form) => void (await abort(form))),
      { numRuns: Number(process.env.RUNS ?? 40) },
    );
  });
});
