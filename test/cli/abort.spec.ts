import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { abortCommand } from "../../cli/commands/abort";
import { built } from "../support/built";
import { fakeCli } from "../support/engineFakes";
import { type Entry, group, secret } from "./recorded";
import { aborted, at, NOW, type StackFiles, saved, stack, stackYaml, support, withRollouts } from "./rolloutProject";
import { runWith } from "./terminal";

/** Aborts in a project with this stack; says what was printed, and what the file holds then. */
const run = (prod: StackFiles, ...argv: readonly string[]) =>
  withRollouts({ prod }, async ({ world, read }) => {
    const printed = await runWith(abortCommand.run, ["front", "--stack", "prod", ...argv], world);
    return { ...printed, file: read("Pulumi.prod.yaml") };
  });
/** The same, if the stack can be read. */
const runOn = (yaml: string, ...entries: ReturnType<typeof support>[]) => run({ yaml, state: { entries } });

const NOBODY = "No resource of stack prod has the rollout front: make sure that agent_front@12 is to get all calls.";
const NUMBERS = "It sends the stable split to 2 numbers, whatever the state says of them.\n";
const text = (from: number, notes = NUMBERS) =>
  `front in prod: agent_front@13 from ${from} % to 0 %; agent_front@12 gets all calls\n\n${notes}Written to Pulumi.prod.yaml. Apply it: pulumi up --stack prod\n`;

describe("agent-platform abort", () => {
  const yaml = stackYaml(at(50));
  const updating = (percent: number) => [{ ...support(percent), operation: "updating" }];
  const night = { name: "night", stable: "agent_night@4", candidate: "agent_front@13", percent: 50 };
  const written: Record<string, { prod: StackFiles; from: number; notes?: string }> = {
    "gives the stable agent all calls": { prod: stack(100), from: 100 },
    "is written after a failed run": {
      prod: stack(50, { unapplied: [{ numbers: "+15550000001\n", reason: "unknown" }] }),
      from: 50,
    },
    "is written after a killed run": {
      prod: { yaml, state: { entries: [support(10)], pending: updating(50) } },
      from: 50,
    },
    "is written after a killed first step, of which the state knows nothing": {
      prod: { yaml: stackYaml(at(1)), state: { entries: [support(0)], pending: updating(1) } },
      from: 1,
    },
    "is written although the state cannot be read, and says so": {
      prod: { yaml },
      from: 50,
      notes:
        "Stack prod could not be read, so agent_front@12 was not compared with its state: `pulumi stack export` failed: error: no stack named 'prod' found\n",
    },
  };
  for (const [name, { prod, from, notes }] of Object.entries(written)) {
    it(name, async () => {
      const expected = { code: 0, stdout: text(from, notes), stderr: "", file: stackYaml(aborted(from)) };
      assert.deepEqual(await run(prod), expected);
    });
  }

  const applied = { inboundAgents: { "agent_front@12": 99, "agent_front@13": 1 } };
  const rejected = { unapplied: [{ numbers: "+15550000001\n+15550000002\n", reason: "rejected", applied }] };
  const inNight = group("night", "1\n", { ...saved(50), rollout: night });
  const plain = stackYaml("      stable: agent_front@12");
  const next = at(1).replace("agent_front@12", "agent_front@13").replace('"agent_front@13"', '"agent_front@14"');
  const wrongStable = at(50).replace("agent_front@12", "agent_front@15");
  const earlier = { agent: "agent_front@11", percent: 10, at: NOW };
  const restarted = support(0, { rollout: { name: "front", stable: "agent_front@12", aborted: earlier } });
  const never = (agent: string) => `${agent} was never applied as the stable agent; agent_front@12 was.`;
  const noCalls = "agent_front@13 had no calls; agent_front@12";
  const from = (percent: number) => `agent_front@13 from ${percent} % to 0 %; agent_front@12`;

  /** What callers had, and not what the file would have given them. */
  const taken: Record<string, { yaml: string; entries: Entry[]; said: string; note?: string }> = {
    "a smaller percentage than the file's": { yaml, entries: [support(10)], said: from(10) },
    "an agent that nobody had yet": { yaml, entries: [support(0)], said: noCalls },
    "a smaller percentage, because every number rejected this one": {
      yaml,
      entries: [support(50, rejected)],
      said: from(1),
    },
    "an agent whose first run failed on every resource": { yaml, entries: [], said: noCalls, note: NOBODY },
    "what a state that is encrypted may hide": {
      yaml,
      entries: [support(50, { unapplied: secret("v1:x") })],
      said: from(50),
    },
    "its own, beside a rollout that the file has no more": { yaml, entries: [support(1), inNight], said: from(1) },
    "no agent of another rollout, although that has the same candidate": {
      yaml: stackYaml(at(50), "    night: { stable: agent_night@4, candidate: agent_front@13, percent: 50 }\n"),
      entries: [inNight],
      said: noCalls,
      note: NOBODY,
    },
    "the agent of the state if the file has no candidate any more": {
      yaml: plain,
      entries: [support(50)],
      said: from(50),
    },
    "the candidate of the file, and not again the one of an earlier abort": {
      yaml: stackYaml(at(1)),
      entries: [restarted],
      said: noCalls,
    },
    "the candidate, to the stable agent that was applied": {
      yaml: stackYaml(wrongStable),
      entries: [support(10)],
      said: from(10),
      note: never("agent_front@15"),
    },
    "the rollout under way, if the file names the next one": {
      yaml: stackYaml(next),
      entries: [support(50)],
      said: from(50),
      note: never("agent_front@13"),
    },
    "the next one alone, if the file's stable agent has all calls": {
      yaml: stackYaml(next),
      entries: [support(100)],
      said: "agent_front@14 had no calls; agent_front@13",
    },
  };
  for (const [name, { yaml, entries, said, note }] of Object.entries(taken)) {
    it(`takes back ${name}`, async () => {
      const { code, stdout, file } = await runOn(yaml, ...entries);
      const lines = stdout.split("\n");
      assert.deepEqual([code, lines[0]], [0, `front in prod: ${said} gets all calls`]);
      if (note !== undefined) {
        assert.equal(lines[2], note);
      }
      const [, agent, percent = 0, stable] = /^(\S+) (?:had no calls|from (\d+) % to 0 %); (\S+)$/.exec(said) ?? [];
      const { aborted, ...rest } = parse(file).config["agent-platform:rollouts"].front;
      assert.deepEqual([aborted, rest], [{ agent, percent: Number(percent), at: NOW }, { stable }]);
    });
  }

  describe("with --to", () => {
    const past = { inboundAgents: { "agent_front@13": 99, "agent_front@14": 1 } };
    const config = { "agent-platform:approvedAgents": '["agent_front@12", "agent_front@14"]' };
    const rollout = { name: "front", stable: "agent_front@13", candidate: "agent_front@14", percent: 1 };
    const later = stackYaml(next);
    const to = (agent: string) =>
      run({ yaml: later, state: { entries: [support(1, { rollout, ...past })] }, config }, "--to", agent);
    const line = `      aborted: { agent: agent_front@13, percent: 99, to: agent_front@12, at: "${NOW}" }`;
    const after = stackYaml(`      stable: agent_front@12 # in use since October\n${line}`);
    const head = "front in prod: agent_front@13 from 99 % to 0 %; agent_front@12 gets all calls\n\n";

    it("returns to an approved agent", async () => {
      const { stdout, file } = await to("agent_front@12");
      assert.deepEqual(
        [stdout, file],
        [`${head}${NUMBERS}Written to Pulumi.prod.yaml. Apply it: pulumi up --stack prod\n`, after],
      );
      const twice = { yaml: after, state: { entries: [support(1, { rollout, ...past })] }, config };
      // The pipelines ask again before they are green.
      for (const argv of [["--to", "agent_front@12"], []]) {
        const second = await run(twice, ...argv);
        assert.equal(second.code, 3);
        assert.match(
          second.stdout,
          /^Nothing to abort: .* Not every number .* has agent_front@13 99 %, agent_front@14 1 %\.\nApply it/,
        );
      }
    });

    const called = "npx pulumi-agent-platform promote front --stack prod";
    for (const [name, agent, message] of [
      [
        "an agent that is not approved",
        "agent_front@9",
        'agent_front@9 is not in approvedAgents, so the guards would refuse it. To go there all the same, write `stable: agent_front@9` without a candidate, and run AGENT_PLATFORM_BYPASS="<reason>" pulumi up --stack prod',
      ],
      [
        "an agent without its prefix",
        "front@12",
        '--to takes an agent, such as agent_front@14; found "front@12". Did you mean agent_front@12?',
      ],
      [
        "the candidate, although it is approved",
        "agent_front@14",
        `agent_front@14 is the candidate of front. Promote it: ${called}`,
      ],
    ] as const) {
      it(`refuses ${name}: exit code 2`, async () => {
        const { code, stderr, file } = await to(agent);
        assert.deepEqual([code, stderr, file], [2, `pulumi-agent-platform abort: ${message}\n`, later]);
      });
    }
  });

  it("writes nothing with --dry-run", async () => {
    const stdout = text(50).replace(/Written.*/, "Not written (--dry-run).");
    assert.deepEqual(await run(stack(50), "--dry-run"), { code: 0, stdout, stderr: "", file: yaml });
  });

  const nothing = (file: string, said: string) => ({
    code: 3,
    stdout: `Nothing to abort: ${said}\n`,
    stderr: "",
    file,
  });
  it("has nothing to abort if neither the file nor the state has a candidate", async () => {
    const said =
      "Pulumi.prod.yaml gives agent_front@12 all calls, and no resource of stack prod has another agent in the rollout front.";
    const saved = support(0, { rollout: { name: "front", stable: "agent_front@12" } });
    assert.deepEqual(await runOn(plain, saved), nothing(plain, said));
  });

  describe("a second time", () => {
    const Earlier = "2026-11-23T08:00:00.000Z";
    const file = stackYaml(aborted(50, Earlier));
    const done = (more: object = {}, time = Earlier) =>
      support(0, {
        rollout: {
          name: "front",
          stable: "agent_front@12",
          aborted: { agent: "agent_front@13", percent: 50, at: time },
        },
        ...more,
      });
    const when = "agent_front@13 was aborted at 2026-11-23 08:00 UTC";

    it("is nothing to do if every number has the first one: exit code 3", async () =>
      assert.deepEqual(
        await runOn(file, done()),
        nothing(file, `${when}, and every number of front has the stable split.`),
      ));

    for (const [why, entry, who] of [
      ["a resource does not have it yet", support(50), "has agent_front@12 50 %, agent_front@13 50 %"],
      ["the state has an earlier one", done({}, "2026-11-01T08:00:00.000Z"), "does not have this abort yet"],
    ] as const) {
      it(`has to be applied and not written again if ${why}`, async () => {
        const lag = `Not every number of front has the stable split yet: NumberGroup "support" ${who}.`;
        const said = `${when}. ${lag}\nApply it: pulumi up --stack prod`;
        assert.deepEqual(await runOn(file, entry), nothing(file, said));
      });
    }

    it("has to be applied and not written again if no run has gone through since", async () => {
      const said = `${when}. Not every number of front has the stable split yet: no resource of stack prod has the rollout front.\nApply it: pulumi up --stack prod`;
      assert.deepEqual(await runOn(file), nothing(file, said));
    });

    // What callers had before the first one stays on record.
    const before = { inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 } };
    const missed = done({ unapplied: [{ numbers: "+15550000001\n", reason: "rejected", applied: before }] });
    const again: Record<string, StackFiles> = {
      "a run was stopped since": {
        yaml: file,
        state: { entries: [done()], pending: [{ ...done(), operation: "updating" }] },
      },
      "numbers are not applied": { yaml: file, state: { entries: [missed] } },
      "the state cannot be read": { yaml: file },
    };
    it("is sent again if the first run of a return was stopped, of which nobody had calls", async () => {
      const withAbort = (time: string) =>
        stackYaml(
          `      stable: agent_front@12 # in use since October\n      aborted: { agent: agent_front@13, percent: 0, to: agent_front@12, at: "${time}" }`,
        );
      const pending = [{ ...done(), operation: "creating" }];
      const second = await run({ yaml: withAbort(Earlier), state: { pending } });
      assert.deepEqual([second.code, second.file], [0, withAbort(NOW)]);
    });
    for (const [why, prod] of Object.entries(again)) {
      it(`is sent again if ${why}: another time is written`, async () => {
        const second = await run(prod);
        assert.deepEqual([second.code, second.file], [0, stackYaml(aborted(50))]);
      });
    }
  });

  for (const [what, script, why] of [
    [
      "is missing",
      undefined,
      "The Pulumi CLI is not on PATH: install 3.200.0 or newer, below 4, as https://www.pulumi.com/docs/install/ says.",
    ],
    ["does not end", "exec sleep 60", "`pulumi stack export` failed: it did not end within 0.2 seconds"],
  ] as const) {
    it(`is written as the files say if the Pulumi CLI ${what}`, () =>
      withRollouts({ prod: stack(50) }, async ({ folder, world, read }) => {
        const bin = join(folder, "bin");
        if (script !== undefined) {
          fakeCli(bin, script);
        }
        const env = { PATH: script === undefined ? bin : `${bin}:/bin:/usr/bin` };
        const { stdout } = await runWith(abortCommand.run, ["--stack", "prod"], { ...world, env, seconds: 0.2 });
        const notes = `Stack prod could not be read, so agent_front@12 was not compared with its state: ${why}\n`;
        assert.deepEqual([stdout, read("Pulumi.prod.yaml")], [text(50, notes), stackYaml(aborted(50))]);
      }));
  }

  it("says what is to be written by hand, if only Pulumi could write it and the CLI is missing", () => {
    const alias = `all: &all\n  front: { stable: agent_front@12, candidate: agent_front@13, percent: 10 }\n`;
    const yaml = `${alias}config:\n  agent-platform:rollouts: *all\n`;
    return withRollouts({ prod: { yaml } }, async ({ world, read }) => {
      const env = { PATH: "/nowhere" };
      const { code, stderr } = await runWith(abortCommand.run, ["--stack", "prod"], { ...world, env });
      const value = `{ stable: agent_front@12, aborted: { agent: agent_front@13, percent: 10, at: "${NOW}" } }`;
      assert.equal(code, 2);
      assert.ok(stderr.endsWith(` Write this by hand into Pulumi.prod.yaml: front: ${value}\n`), stderr);
      assert.equal(read("Pulumi.prod.yaml"), yaml);
    });
  });

  describe("if Pulumi writes the file, and another process overwrites that with what it read before", () => {
    const before = { stable: "agent_front@12", candidate: "agent_front@13", percent: 10 };
    const night = { stable: "agent_night@4" };
    const yaml = `all: &all\n  front: ${JSON.stringify(before)}\n  night: ${JSON.stringify(night)}\nconfig:\n  agent-platform:rollouts: *all\n`;
    const abortedValue = {
      stable: "agent_front@12",
      aborted: { agent: "agent_front@13", percent: 10, at: NOW },
    };
    /** @param losses how many writes of Pulumi are lost. @param other what the other process writes */
    const overwritten = (losses: number, other: object) =>
      withRollouts({ prod: { yaml } }, async ({ folder, world, read }) => {
        const bin = join(folder, "..", "bin");
        const write = (value: string) =>
          `printf "config:\\n  agent-platform:rollouts: '%s'\\n" "${value}" > Pulumi.prod.yaml`;
        fakeCli(
          bin,
          `[ "$1 $2" = "config set-all" ] && echo set-all >> ${bin}/sets
[ "$1 $2" = "config set" ] || exit 255
echo set >> ${bin}/sets
${write("$4")}
[ "$(grep -c . ${bin}/sets)" -gt ${losses} ] || ${write(JSON.stringify(other).replaceAll('"', '\\"'))}`,
        );
        const printed = await runWith(abortCommand.run, ["front", "--stack", "prod"], world);
        const value = parse(read("Pulumi.prod.yaml")).config["agent-platform:rollouts"];
        return { ...printed, value: JSON.parse(value), sets: readFileSync(join(bin, "sets"), "utf8") };
      });

    it("is written again", async () => {
      const { code, value, sets } = await overwritten(1, { front: before, night });
      assert.deepEqual([code, value, sets], [0, { front: abortedValue, night }, "set\nset\nset-all\n"]);
    });

    it("keeps what the other one wrote of another rollout", async () => {
      const other = { front: abortedValue, night: { stable: "agent_night@5" } };
      const { code, value, sets } = await overwritten(1, other);
      assert.deepEqual([code, value, sets], [0, other, "set\n"]);
    });

    it("says what is to be written by hand if that never ends: exit code 2", async () => {
      const { code, stderr } = await overwritten(9, { front: before, night });
      const value = `{ stable: agent_front@12, aborted: { agent: agent_front@13, percent: 10, at: "${NOW}" } }`;
      const said = `Pulumi.prod.yaml was changed each time that Pulumi wrote it. Write this by hand into Pulumi.prod.yaml: front: ${value}`;
      assert.deepEqual([code, stderr], [2, `pulumi-agent-platform abort: ${said}\n`]);
    });
  });

  const frozen = (freeze: string) => ({ ...stack(50), config: { "agent-platform:freeze": freeze } });
  const bypass = (
    up: string,
  ) => `The stack is frozen (incident 4711), so apply it with your reason: AGENT_PLATFORM_BYPASS="<reason>" ${up}
To end the freeze: pulumi config rm agent-platform:freeze --stack prod`;

  it("names a freeze and the command that goes on, and is not applied by --up while the stack is frozen", async () => {
    const apply = bypass("pulumi up --stack prod");
    const { stdout } = await run(frozen("incident 4711"));
    assert.equal(stdout, text(50).replace("Apply it: pulumi up --stack prod", apply));
    assert.ok((await run(frozen(""))).stdout.endsWith("Apply it: pulumi up --stack prod\n"));
    const up = await run(frozen("incident 4711"), "--up");
    const end = `Written to Pulumi.prod.yaml.\n\nNot applied. ${apply}`;
    assert.deepEqual([up.code, up.stdout], [1, text(50).replace(/Written.*/, end)]);
  });

  it("waits with --up for a `pulumi up` that is interrupted, and is red then", () =>
    withRollouts({ prod: stack(50) }, async ({ folder }) => {
      const fake = `[ "$1" = up ] || exit 255; trap 'echo cancelled; exit 1' INT; echo "$@"; while :; do sleep 0.05; done`;
      fakeCli(join(folder, "bin"), fake);
      const env = { ...process.env, PATH: `${join(folder, "bin")}:${process.env.PATH}` };
      const argv = [built("cli/main.js"), "abort", "--stack", "prod", "--up", "--yes"];
      const child = spawn(process.execPath, argv, { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
      let stdout = "";
      child.stdout.setEncoding("utf8").on("data", (text) => {
        stdout += text;
        if (text.includes("--skip-preview")) {
          child.kill("SIGINT");
        }
      });
      const [code] = await once(child, "close");
      assert.equal(code, 1, stdout);
      const end = `up --stack prod --yes --continue-on-error --skip-preview --exclude urn:pulumi:**:CommunityVoice::** --exclude urn:pulumi:**:SmsChat::**
cancelled

\`pulumi up\` of prod ended with exit code 1.
Not every number of front in prod has it: \`pulumi stack export\` failed: Command failed`;
      assert.ok(stdout.includes(end), stdout);
    }));

  it("is lost by no other abort of the same file at the same time, in processes of their own", async () => {
    const names = ["front", "night", "day", "desk"];
    const values = names
      .slice(1)
      .map((name) => `    ${name}: { stable: agent_a@1, candidate: agent_b@2, percent: 5 } # ${name}\n`);
    await withRollouts({ prod: { yaml: stackYaml(at(10), values.join("")) } }, async ({ folder, world, read }) => {
      // The CLI fails as soon as all of them have asked it, and so have read the file.
      const root = join(folder, "..");
      mkdirSync(join(root, "asked"));
      fakeCli(
        join(root, "bin"),
        `touch ${root}/asked/$PPID; until [ "$(ls ${root}/asked | wc -l)" -ge ${names.length} ]; do sleep 0.02; done; exit 255`,
      );
      const abort = (name: string) =>
        promisify(execFile)(process.execPath, [built("cli/main.js"), "abort", name, "--stack", "prod"], {
          cwd: folder,
          env: { ...process.env, ...world.env },
        });
      const printed = await Promise.all(names.map(abort));
      for (const { stdout } of printed) {
        assert.match(stdout, /^Written to Pulumi\.prod\.yaml/m);
      }
      const { "agent-platform:rollouts": all } = parse(read("Pulumi.prod.yaml")).config;
      assert.deepEqual(
        Object.keys(all).filter((name) => all[name].aborted === undefined),
        [],
      );
      assert.deepEqual([Object.keys(all), readdirSync(folder).sort()], [names, ["Pulumi.prod.yaml", "Pulumi.yaml"]]);
    });
  });
});
