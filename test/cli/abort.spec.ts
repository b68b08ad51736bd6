import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { abortCommand } from "../../cli/commands/rollout/abort";
import { repository } from "../support/engine";
import { group } from "./exports";
import { at, type RolloutProject, stackYaml, support, withRollouts } from "./rolloutProject";
import { runWith } from "./terminal";

const abort = ({ world }: RolloutProject, ...argv: readonly string[]) =>
  runWith(abortCommand.run, ["front", "--stack", "prod", ...argv], world);

const text = (
  from: number,
  notes = "",
) => `front in prod: agent_front@13 from ${from} % to 0 %; agent_front@12 gets all calls

-    percent: ${from} # promote edits this
+    percent: 0 # promote edits this

${notes}Written to Pulumi.prod.yaml. Apply it: pulumi up --stack prod
`;

describe("agent-platform abort", () => {
  for (const percent of [1, 50, 100]) {
    it(`gives the stable agent all calls from ${percent} %, in one value`, () =>
      withRollouts(
        { prod: { yaml: stackYaml(at(percent)), state: { entries: [support(percent)] } } },
        async (project) => {
          assert.deepEqual(await abort(project), { code: 0, stdout: text(percent), stderr: "" });
          assert.equal(project.read("Pulumi.prod.yaml"), stackYaml(at(0)));
        },
      ));
  }

  const unapplied = { unapplied: [{ numbers: "+15550000001\n", reason: "unknown" }] };
  const pending = { ...support(10), operation: "updating" };
  for (const [name, state] of Object.entries({
    "a failed run": { entries: [support(50, unapplied)] },
    "a killed run": { entries: [support(10)], pending: [pending] },
    "an edit that was not applied": { entries: [support(10)] },
  })) {
    it(`is not held by ${name}`, () =>
      withRollouts({ prod: { yaml: stackYaml(at(50)), state } }, async (project) => {
        assert.deepEqual(await abort(project), { code: 0, stdout: text(50), stderr: "" });
      }));
  }

  it("is written although the state cannot be read, and says so", () =>
    withRollouts({ prod: { yaml: stackYaml(at(50)) } }, async (project) => {
      const notes =
        "Stack prod could not be read, so agent_front@12 was not compared with its state: `pulumi stack export` failed: error: no stack named 'prod' found\n";
      assert.deepEqual(await abort(project), { code: 0, stdout: text(50, notes), stderr: "" });
      assert.equal(project.read("Pulumi.prod.yaml"), stackYaml(at(0)));
    }));

  it("is written without steps, and without a CLI", () =>
    withRollouts(
      { prod: { yaml: stackYaml(at(50)), config: {}, state: { entries: [support(50)] } } },
      async (project) => {
        assert.equal(
          (await abort(project, "--dry-run")).stdout,
          text(50).replace(/Written.*/, "Not written (--dry-run)."),
        );
        const env = { PATH: "/nonexistent", HOME: "/nonexistent" };
        const { code } = await runWith(abortCommand.run, ["--stack", "prod"], { ...project.world, env });
        assert.deepEqual([code, project.read("Pulumi.prod.yaml")], [0, stackYaml(at(0))]);
      },
    ));

  it("says which freeze blocks it", () => {
    const config = { "agent-platform:freeze": "incident 4711" };
    return withRollouts(
      { prod: { yaml: stackYaml(at(10)), config, state: { entries: [support(10)] } } },
      async (project) => {
        const notes =
          'agent-platform:freeze blocks it ("incident 4711"). Remove the setting, or apply with AGENT_PLATFORM_BYPASS="<reason>".\n';
        assert.deepEqual(await abort(project), { code: 0, stdout: text(10, notes), stderr: "" });
      },
    );
  });

  it("goes back to the stable agent that was applied, and not to one that was only written", () =>
    withRollouts(
      {
        prod: {
          yaml: stackYaml(at(50).replace("agent_front@12", "agent_front@15")),
          state: { entries: [support(10)] },
        },
      },
      async (project) => {
        assert.deepEqual(await abort(project), {
          code: 0,
          stdout: `front in prod: agent_front@13 from 50 % to 0 %; agent_front@12 gets all calls

-    stable: agent_front@15 # in use since October
+    stable: agent_front@12 # in use since October
-    percent: 50 # promote edits this
+    percent: 0 # promote edits this

agent_front@15 was never applied as the stable agent; agent_front@12 was.
Written to Pulumi.prod.yaml. Apply it: pulumi up --stack prod
`,
          stderr: "",
        });
      },
    ));

  it("goes back to the stable agent of the rollout under way if the file names the next one", () => {
    const next = at(1).replace("agent_front@12", "agent_front@13").replace('"agent_front@13"', '"agent_front@14"');
    return withRollouts({ prod: { yaml: stackYaml(next), state: { entries: [support(50)] } } }, async (project) => {
      assert.deepEqual(await abort(project), {
        code: 0,
        stdout: `front in prod: agent_front@14 from 1 % to 0 %; agent_front@12 gets all calls

-    stable: agent_front@13 # in use since October
+    stable: agent_front@12 # in use since October
-    percent: 1 # promote edits this
+    percent: 0 # promote edits this

agent_front@13 was never applied as the stable agent; agent_front@12 was.
Written to Pulumi.prod.yaml. Apply it: pulumi up --stack prod
`,
        stderr: "",
      });
    });
  });

  it("says that an `up` may send nothing if a killed run has left no trace in the state", async () => {
    const state = { entries: [support(0)], pending: [{ ...support(1), operation: "updating" }] };
    const note =
      'A run was stopped while it was updating NumberGroup "support". Its state gives agent_front@12 all calls already, so `pulumi up` may send nothing: change `triggers` of it in the same commit.\n';
    await withRollouts({ prod: { yaml: stackYaml(at(1)), state } }, async (project) => {
      assert.deepEqual(await abort(project), { code: 0, stdout: text(1, note), stderr: "" });
      const { code, stdout } = await abort(project);
      assert.deepEqual([code, stdout.slice(stdout.indexOf("\n") + 1)], [3, note]);
    });
  });

  it("names a stable agent that no resource has", () =>
    withRollouts({ prod: { yaml: stackYaml(at(50)), state: { entries: [group("g", "1\n")] } } }, async (project) => {
      const notes =
        "No resource of stack prod has a rollout of agent_front@12: make sure that this agent is to get all calls.\n";
      assert.deepEqual(await abort(project), { code: 0, stdout: text(50, notes), stderr: "" });
    }));

  it("ends with exit code 3 if the stable agent has all calls in the file", () =>
    withRollouts({ prod: { yaml: stackYaml(at(0)), state: { entries: [support(50)] } } }, async (project) => {
      assert.deepEqual(await abort(project), {
        code: 3,
        stdout:
          "Nothing to abort: Pulumi.prod.yaml gives agent_front@12 all calls. If callers still reach another agent, apply it: pulumi up --stack prod\n",
        stderr: "",
      });
    }));

  it("says the same as JSON", () =>
    withRollouts({ prod: { yaml: stackYaml(at(50)), state: { entries: [support(50)] } } }, async (project) => {
      const from = { stable: "agent_front@12", candidate: "agent_front@13", percent: 50 };
      const { text: said, ...json } = JSON.parse((await abort(project, "--json")).stdout);
      assert.equal(`${said}\n`, text(50));
      assert.deepEqual(json, {
        outcome: "written",
        name: "front",
        stack: "prod",
        file: "Pulumi.prod.yaml",
        from,
        to: { ...from, percent: 0 },
        notes: [],
        diff: "-    percent: 50 # promote edits this\n+    percent: 0 # promote edits this",
      });
    }));

  it("is there after eight promotes and aborts at once: the file is always whole, and no other file is left", () =>
    withRollouts({ prod: { yaml: stackYaml(at(10)), state: { entries: [support(10)] } } }, async (project) => {
      const main = `"${process.execPath}" "${repository}/dist/cli/main.js"`;
      const one = (command: string) => `${main} ${command} --stack prod > /dev/null 2>&1 &`;
      const script = `${[1, 2, 3, 4].map(() => `${one("promote")} ${one("abort")}`).join("\n")}\nwait`;
      spawnSync("bash", ["-c", script], { cwd: project.folder, env: project.world.env });
      const end = project.read("Pulumi.prod.yaml");
      assert.ok([stackYaml(at(0)), stackYaml(at(50))].includes(end), end);
      assert.deepEqual(project.files(), ["Pulumi.prod.yaml", "Pulumi.yaml"]);
      await abort(project);
      assert.equal(project.read("Pulumi.prod.yaml"), stackYaml(at(0)));
    }));
});
