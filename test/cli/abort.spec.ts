import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { abortCommand } from "../../cli/commands/rollout/abort";
import { repository } from "../support/engine";
import { group } from "./exports";
import { at, type StackFiles, stack, stackYaml, support, withRollouts } from "./rolloutProject";
import { runWith } from "./terminal";

/** Aborts in a project with this stack; says what was printed, and what the file holds then. */
const aborted = (prod: StackFiles, ...argv: readonly string[]) =>
  withRollouts({ prod }, async (project) => {
    const printed = await runWith(abortCommand.run, ["front", "--stack", "prod", ...argv], project.world);
    return { ...printed, file: project.read("Pulumi.prod.yaml") };
  });

const diff = (from: number) => `-    percent: ${from} # promote edits this\n+    percent: 0 # promote edits this`;
const text = (from: number, notes = "") =>
  `front in prod: agent_front@13 from ${from} % to 0 %; agent_front@12 gets all calls\n\n${diff(from)}\n\n${notes}Written to Pulumi.prod.yaml. Apply it: pulumi up --stack prod\n`;

describe("agent-platform abort", () => {
  const yaml = stackYaml(at(50));
  const updating = (percent: number) => [{ ...support(percent), operation: "updating" }];
  const killed =
    'A run was stopped while it was updating NumberGroup "support". Its state gives agent_front@12 all calls already, so `pulumi up` may send nothing: change `triggers` of it in the same commit.\n';
  const written: Record<string, [StackFiles, from: number, notes?: string]> = {
    "gives the stable agent all calls from 1 %, in one value": [stack(1), 1],
    "gives the stable agent all calls from 50 %, in one value": [stack(50), 50],
    "gives the stable agent all calls from 100 %, in one value": [stack(100), 100],
    "is not held by a failed run": [stack(50, { unapplied: [{ numbers: "+15550000001\n", reason: "unknown" }] }), 50],
    "is not held by a killed run": [{ yaml, state: { entries: [support(10)], pending: updating(10) } }, 50],
    "is not held by an edit that was not applied": [{ yaml, state: { entries: [support(10)] } }, 50],
    "is written although the state cannot be read, and says so": [
      { yaml },
      50,
      "Stack prod could not be read, so agent_front@12 was not compared with its state: `pulumi stack export` failed: error: no stack named 'prod' found\n",
    ],
    "is written without steps": [{ ...stack(50), config: {} }, 50],
    "says which freeze blocks it": [
      { ...stack(10), config: { "agent-platform:freeze": "incident 4711" } },
      10,
      'agent-platform:freeze blocks it ("incident 4711"). Remove the setting, or apply with AGENT_PLATFORM_BYPASS="<reason>".\n',
    ],
    "names a stable agent that no resource has": [
      { yaml, state: { entries: [group("g", "1\n")] } },
      50,
      "No resource of stack prod has a rollout of agent_front@12: make sure that this agent is to get all calls.\n",
    ],
    "says that an `up` may send nothing if a killed run has left no trace in the state": [
      { yaml: stackYaml(at(1)), state: { entries: [support(0)], pending: updating(1) } },
      1,
      killed,
    ],
  };
  for (const [name, [prod, from, notes]] of Object.entries(written)) {
    it(name, async () => {
      const expected = { code: 0, stdout: text(from, notes), stderr: "", file: stackYaml(at(0)) };
      assert.deepEqual(await aborted(prod), expected);
    });
  }

  it("writes nothing with --dry-run", async () => {
    const stdout = text(50).replace(/Written.*/, "Not written (--dry-run).");
    assert.deepEqual(await aborted(stack(50), "--dry-run"), { code: 0, stdout, stderr: "", file: yaml });
  });

  it("needs no CLI", () =>
    withRollouts({ prod: stack(50) }, async (project) => {
      const env = { PATH: "/nonexistent", HOME: "/nonexistent" };
      const { code } = await runWith(abortCommand.run, ["--stack", "prod"], { ...project.world, env });
      assert.deepEqual([code, project.read("Pulumi.prod.yaml")], [0, stackYaml(at(0))]);
    }));

  const next = at(1).replace("agent_front@12", "agent_front@13").replace('"agent_front@13"', '"agent_front@14"');
  const back: Record<string, [rollout: string, state: number, written: string, candidate: string, from: number]> = {
    "that was applied, and not to one that was only written": [
      at(50).replace("agent_front@12", "agent_front@15"),
      10,
      "agent_front@15",
      "agent_front@13",
      50,
    ],
    "of the rollout under way if the file names the next one": [next, 50, "agent_front@13", "agent_front@14", 1],
  };
  for (const [name, [rollout, percent, stable, candidate, from]] of Object.entries(back)) {
    it(`goes back to the stable agent ${name}`, async () => {
      const { stdout } = await aborted({ yaml: stackYaml(rollout), state: { entries: [support(percent)] } });
      assert.equal(
        stdout,
        `front in prod: ${candidate} from ${from} % to 0 %; agent_front@12 gets all calls

-    stable: ${stable} # in use since October
+    stable: agent_front@12 # in use since October
${diff(from)}

${stable} was never applied as the stable agent; agent_front@12 was.
Written to Pulumi.prod.yaml. Apply it: pulumi up --stack prod
`,
      );
    });
  }

  const nothing =
    "Nothing to abort: Pulumi.prod.yaml gives agent_front@12 all calls. If callers still reach another agent, apply it: pulumi up --stack prod\n";
  const atZero: Record<string, [StackFiles["state"], notes: string]> = {
    "the stable agent has all calls in the file": [{ entries: [support(50)] }, ""],
    "a killed run has left no trace in the state": [{ entries: [support(0)], pending: updating(1) }, killed],
  };
  for (const [name, [state = {}, notes]] of Object.entries(atZero)) {
    it(`ends with exit code 3 if ${name}`, async () => {
      const expected = { code: 3, stdout: nothing + notes, stderr: "", file: stackYaml(at(0)) };
      assert.deepEqual(await aborted({ yaml: stackYaml(at(0)), state }), expected);
    });
  }

  it("says the same as JSON", async () => {
    const from = { stable: "agent_front@12", candidate: "agent_front@13", percent: 50 };
    const { text: said, ...json } = JSON.parse((await aborted(stack(50), "--json")).stdout);
    assert.equal(`${said}\n`, text(50));
    assert.deepEqual(json, {
      outcome: "written",
      name: "front",
      stack: "prod",
      file: "Pulumi.prod.yaml",
      from,
      to: { ...from, percent: 0 },
      notes: [],
      diff: diff(50),
    });
  });

  it("is there after eight promotes and aborts at once: the file is always whole, and no other file is left", () =>
    withRollouts({ prod: stack(10) }, async (project) => {
      const main = `"${process.execPath}" "${repository}/dist/cli/main.js"`;
      const one = (command: string) => `${main} ${command} --stack prod > /dev/null 2>&1 &`;
      const script = `${[1, 2, 3, 4].map(() => `${one("promote")} ${one("abort")}`).join("\n")}\nwait`;
      spawnSync("bash", ["-c", script], { cwd: project.folder, env: project.world.env });
      const end = project.read("Pulumi.prod.yaml");
      assert.ok([stackYaml(at(0)), stackYaml(at(50))].includes(end), end);
      assert.deepEqual(project.files(), ["Pulumi.prod.yaml", "Pulumi.yaml"]);
      await runWith(abortCommand.run, ["--stack", "prod"], project.world);
      assert.equal(project.read("Pulumi.prod.yaml"), stackYaml(at(0)));
    }));
});
