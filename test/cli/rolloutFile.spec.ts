import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { renameSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { parse } from "yaml";
import { abortCommand } from "../../cli/commands/abort";
import { promoteCommand } from "../../cli/commands/promote";
import { configIn, editedText, findRollout } from "../../cli/rollout/file";
import type { NamedRollout } from "../../provider/core/routing/rollouts";
import { anyForm, FORMS, type Form, KEY } from "./rolloutForms";
import { at, type RolloutProject, stack, stackYaml, support, withRollouts } from "./rolloutProject";
import { refusal, runWith } from "./terminal";

const state = { entries: [support(10)] };
const FRONT = ["front", "--stack", "prod"];
const promote = ({ world, folder }: RolloutProject, below = ".", argv = FRONT) =>
  runWith(promoteCommand.run, argv, { ...world, cwd: join(folder, below) });

/** The edit alone: what the text is with this value. */
const edited = (text: string, next: Partial<NamedRollout>) => {
  const file = { shown: "Pulumi.prod.yaml", text };
  const found = findRollout({ file, config: configIn(file, {}) }, "front");
  return editedText(found, { ...found.value, ...next }) ?? "";
};

describe("the edit of a stack's config file", () => {
  const abortedAt = { agent: "agent_b@2", percent: 10, at: "2026-11-23T09:02:11.000Z" };
  const inYaml = 'aborted: { agent: agent_b@2, percent: 10, at: "2026-11-23T09:02:11.000Z" }';
  const Head = "config:\n  agent-platform:rollouts:\n    front:\n";
  const front = (...fields: string[]) => `${Head}${fields.map((field) => `      ${field}\n`).join("")}`;
  const flow = (fields: string) => `config: { "agent-platform:rollouts": { front: { ${fields} } } }\n`;
  const [stable, candidate, percent] = ["stable: agent_a@1", "candidate: agent_b@2", "percent: 10"] as const;

  const aborts: Record<string, [before: string, after: string]> = {
    "with stable last": [front(candidate, percent, stable), front(stable, inYaml)],
    "with gates behind it": [
      front(stable, candidate, percent, "promote: { after: canary }"),
      front(stable, inYaml, "promote: { after: canary }"),
    ],
    "with gates before it": [
      front("promote:", "  minSoak: 24h", stable, candidate, percent),
      front("promote:", "  minSoak: 24h", stable, inYaml),
    ],
    "with comments of their own lines": [
      front(stable, "# who", candidate, "# how many", percent),
      front(stable, inYaml, "# who", "# how many"),
    ],
    "with comments behind the values": [
      front(`${stable} # a`, `${candidate} # b`, `${percent} # c`),
      front(`${stable} # a`, inYaml),
    ],
    "with CRLF": [
      front(stable, candidate, percent).replaceAll("\n", "\r\n"),
      front(stable, inYaml).replaceAll("\n", "\r\n"),
    ],
    "without a last line end": [front(stable, candidate, percent).trimEnd(), front(stable, inYaml).trimEnd()],
    "in one line, with gates": [
      flow(`promote: { after: dev }, ${stable}, ${candidate}, ${percent}`),
      flow(`${stable}, promote: { after: dev }, ${inYaml}`),
    ],
  };
  for (const [name, [before, after]] of Object.entries(aborts)) {
    it(`writes an abort of a rollout ${name}, and a start takes it out again`, () => {
      const abort = { candidate: undefined, percent: undefined, aborted: abortedAt };
      const start = { candidate: "agent_b@2", percent: 1, aborted: undefined };
      assert.equal(edited(before, abort), after);
      const again = edited(after, start);
      assert.ok(!again.includes("aborted"), again);
      assert.equal(edited(edited(again, abort), start), again);
    });
  }

  const started = front(stable, "candidate: agent_b@2", "percent: 1");
  for (const [name, before] of [
    ["fields without a value", front(stable, "candidate:", "percent:", "aborted:")],
    ["an abort in lines", front(stable, "aborted:", "  agent: agent_b@2", "  percent: 10", `  at: "${abortedAt.at}"`)],
    ["an abort whose time has no quotes", front(stable, inYaml.replaceAll('"', ""))],
  ] as const) {
    it(`takes out what a start does not have: ${name}`, () =>
      assert.equal(edited(before, { candidate: "agent_b@2", percent: 1, aborted: undefined }), started));
  }

  it("adds what is missing beside what is there, in its order and with its line ends", () => {
    const one = `${Head}      stable: agent_a@1 # now`.replaceAll("\n", "\r\n");
    const next = { candidate: "agent_b@2", percent: 1 };
    const added = "\r\n      candidate: agent_b@2\r\n      percent: 1";
    assert.equal(edited(one, next), one + added);
    assert.equal(edited(`${one}\r\n  other: 1\r\n`, next), `${one}${added}\r\n  other: 1\r\n`);
    assert.equal(
      edited("config: {agent-platform:rollouts: {front: {stable: agent_a@1}}}\n", next),
      "config: {agent-platform:rollouts: {front: { stable: agent_a@1, candidate: agent_b@2, percent: 1 }}}\n",
    );
  });

  it("leaves every other byte of a file as it is, whatever the file holds", () => {
    const comment = fc
      .stringMatching(/^[\w "':#&*{}[\]äß📞-]{0,20}$/u)
      .map((text) => (text === "" ? "" : ` # ${text}`));
    const others = ["  a:b: '1'", "  c:d: {e: [1, 2]}", "  # percent: 10", "", "  f:g: &x 1", '  h:i: "\\u00e4"'];
    const parts = fc.record({
      comment,
      before: fc.uniqueArray(fc.constantFrom(...others)),
      quote: fc.constantFrom("", "'", '"'),
      lineEnd: fc.constantFrom("\n", "\r\n"),
      order: fc.shuffledSubarray(["stable", "candidate", "percent"] as const, { minLength: 3 }),
      indent: fc.integer({ min: 5, max: 9 }),
      percent: fc.integer({ min: 0, max: 100 }),
    });
    fc.assert(
      fc.property(parts, ({ comment, before, quote, lineEnd, order, indent, percent }) => {
        const text = ({ stable, candidate, percent }: Record<"stable" | "candidate", string> & { percent: number }) => {
          const values = { stable: quote + stable + quote, candidate: quote + candidate + quote, percent };
          const own = order.map((field) => `${" ".repeat(indent)}${field}: ${values[field]}${comment}`);
          const head = [`  agent-platform:rollouts:${comment}`, `    front:${comment}`];
          return ["config:", ...before, ...head, ...own, `  z:z: 1${comment}`, ""].join(lineEnd);
        };
        const next = { stable: "agent_b@20", candidate: "agent_c@300", percent };
        assert.equal(edited(text({ stable: "agent_a@1", candidate: "agent_b@2", percent: 10 }), next), text(next));
      }),
      { numRuns: 500 },
    );
  });

  /** What the file says, without the fields of an abort. */
  const valuesOf = ({ stack, project }: Form) => {
    const ofProject = parse(`a: ${project ?? "{}"}`, { merge: true, version: "1.1" }).a;
    const { [KEY]: all, ...others } = configIn({ shown: "", text: stack }, { [KEY]: ofProject });
    const { front, ...rollouts } = JSON.parse(all?.value ?? "");
    return { front, others, rollouts };
  };
  const aborted = ({ stack, project }: Form) => {
    const file = { shown: "Pulumi.dev.yaml", text: stack };
    const before = valuesOf({ stack, ...(project !== undefined && { project }) });
    const { candidate, percent: _, ...kept } = before.front;
    const config = configIn(file, { [KEY]: JSON.stringify({ front: before.front, ...before.rollouts }) });
    const text = editedText(findRollout({ file, config }, "front"), { ...kept, aborted: abortedAt });
    if (text !== undefined) {
      assert.deepEqual(valuesOf({ stack: text }), { ...before, front: { ...kept, aborted: abortedAt } });
    }
    return text === undefined;
  };
  for (const [name, form] of Object.entries(FORMS)) {
    it(`is made in place, or is Pulumi's to make: ${name}`, () =>
      assert.equal(aborted(form), form.isForPulumi === true));
  }

  it("changes no other rollout, in any mixture of aliases and merge keys", () =>
    fc.assert(
      fc.property(anyForm, (form) => void aborted(form)),
      { numRuns: 300 },
    ));

  it("keeps a byte order mark", () =>
    withRollouts({ prod: { yaml: `\ufeff${stackYaml(at(10))}`, state } }, async (project) => {
      const { code } = await promote(project);
      assert.deepEqual([code, project.read("Pulumi.prod.yaml")], [0, `\ufeff${stackYaml(at(50))}`]);
    }));
});

describe("the file that promote and abort edit is the one that Pulumi reads", () => {
  /** Runs this in the project's folder before. */
  const moved = (script: string, test: (project: RolloutProject) => Promise<void>) =>
    withRollouts({ prod: stack(10) }, (project) => {
      assert.equal(spawnSync("sh", ["-ec", script], { cwd: project.folder }).status, 0);
      return test(project);
    });

  it("with the ending of the project's file, whatever stands beside it", () =>
    moved("mv Pulumi.yaml Pulumi.yml; cp Pulumi.prod.yaml Pulumi.prod.yml", async (project) => {
      assert.equal((await promote(project)).code, 0);
      const texts = ["Pulumi.prod.yml", "Pulumi.prod.yaml"].map(project.read);
      assert.deepEqual(texts, [stackYaml(at(50)), stackYaml(at(10))]);
    }));

  it("in the folder that stackConfigDir names, or `config`, which is its older form", async () => {
    for (const key of ["stackConfigDir", "config"]) {
      await moved(`mkdir conf; mv Pulumi.prod.yaml conf/; echo '${key}: conf' >> Pulumi.yaml`, async (project) => {
        assert.equal((await promote(project)).code, 0);
        assert.equal(project.read("conf/Pulumi.prod.yaml"), stackYaml(at(50)));
      });
    }
  });

  it("or the one of --config-file, which the commands to copy have as well", () =>
    moved("mkdir 'my conf'; mv Pulumi.prod.yaml 'my conf/front.yaml'", async (project) => {
      const file = ["--config-file", "my conf/front.yaml"];
      const { stdout } = await promote(project, ".", [...FRONT, ...file]);
      const back = "npx pulumi-agent-platform abort front --stack prod --config-file 'my conf/front.yaml'";
      assert.ok(
        stdout.endsWith(`Written to my conf/front.yaml. The next step is 100 %. To go back at any time: ${back}\n`),
        stdout,
      );
      assert.equal(project.read("my conf/front.yaml"), stackYaml(at(50)));
    }));

  it("from a folder below, and not above a project that is nearer", () =>
    moved("mkdir -p src/deep other; printf 'name: other\nruntime: nodejs\n' > other/Pulumi.yml", async (project) => {
      const config = join(project.folder, "..", "prod.config.json");
      renameSync(config, `${config}.of-phones`);
      assert.deepEqual(
        await promote(project, "other"),
        refusal("promote", "Pulumi.prod.yml is not there. Stacks have these files: none."),
      );
      renameSync(`${config}.of-phones`, config);
      assert.equal((await promote(project, "src/deep")).code, 0);
      assert.equal(project.read("Pulumi.prod.yaml"), stackYaml(at(50)));
    }));

  it("and is refused if the project's file is JSON, which Pulumi reads before YAML", () =>
    moved(`printf '{"name": "phones"}' > Pulumi.json`, async (project) => {
      const message = "Pulumi.json is JSON. The commands read YAML alone: write the project as Pulumi.yaml.";
      assert.deepEqual(await promote(project), refusal("promote", message));
    }));
});

describe("a config file that promote and abort refuse", () => {
  const front = "config:\n  agent-platform:rollouts:\n    front:\n";
  const own = (line: number, message: string) =>
    `Pulumi.prod.yaml, line ${line}: agent-platform:rollouts.front${message}`;
  const cases: Record<string, [string | Uint8Array, string]> = {
    "no YAML": [
      "config:\n  a: [1\nb: 2\n",
      "Pulumi.prod.yaml, line 3: this is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ]",
    ],
    "a key that is there twice": [
      stackYaml(`${at(10)}\n      percent: 50`),
      "Pulumi.prod.yaml, line 10: this is not YAML: Map keys must be unique",
    ],
    "a merge of another map, which lacks the percentage": [
      `base: &base {candidate: agent_b@2}\n${front}      <<: *base\n      stable: agent_a@1\n`,
      own(5, ".percent must be given if there is a candidate."),
    ],
    "a percentage that is text": [
      `${front}${at(10).replace(": 10", ': "10%"')}\n`,
      own(6, '.percent is "10%". Write a number from 0 to 100.'),
    ],
    "an agent without its prefix": [
      stackYaml(at(10).replace("agent_front@12", "front@12")),
      own(7, '.stable is "front@12". Did you mean agent_front@12?'),
    ],
    "a wrong gate": [
      stackYaml(`${at(10)}\n      promote: { minSoak: soon }`),
      'Pulumi.prod.yaml, line 10: agent-platform:rollouts.front.promote.minSoak is "soon". Write a duration, as in 30m, 24h or 7d.',
    ],
    "no rollout": [
      "config:\n  phones:front: {stable: agent_a@1}\n",
      "Pulumi.prod.yaml has no rollout. Write its rollouts there, under agent-platform:rollouts: a name, and below it stable, candidate and percent.",
    ],
  };
  for (const [name, [yaml, message]] of Object.entries(cases)) {
    it(`${name}: exit code 2, and the file as it was`, () =>
      withRollouts({ prod: { yaml, state } }, async (project) => {
        for (const { name, run } of [promoteCommand, abortCommand]) {
          assert.deepEqual(await runWith(run, FRONT, project.world), refusal(name, message));
        }
        assert.equal(project.read("Pulumi.prod.yaml"), Buffer.from(yaml).toString("utf8"));
        assert.deepEqual(project.files(), ["Pulumi.prod.yaml", "Pulumi.yaml"]);
      }));
  }

  it("a name with a slip, or none beside several rollouts: exit code 2", () =>
    withRollouts(
      { prod: { yaml: stackYaml(at(10), "    desk:\n      stable: agent_a@1\n"), state } },
      async (project) => {
        const has = (what: string) => refusal("promote", `Pulumi.prod.yaml has ${what}`);
        const slip = await promote(project, ".", ["frnt", "--stack", "prod"]);
        assert.deepEqual(slip, has('no rollout "frnt". Did you mean front?'));
        assert.deepEqual(await promote(project, ".", ["--stack", "prod"]), has("2 rollouts. Name one of front, desk."));
      },
    ));

  it("a folder without a project: exit code 2", async () => {
    const message = "There is no Pulumi.yaml here or above. Run this in the folder of the program.";
    assert.deepEqual(await runWith(promoteCommand.run, FRONT, { cwd: "/" }), refusal("promote", message));
  });
});
