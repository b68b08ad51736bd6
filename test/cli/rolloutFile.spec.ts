import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, renameSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { abortCommand } from "../../cli/commands/rollout/abort";
import { promoteCommand } from "../../cli/commands/rollout/promote";
import { findRollout } from "../../cli/commands/rollout/rolloutYaml";
import type { Rollout } from "../../cli/rollout/value";
import { repository } from "../support/engine";
import { at, type RolloutProject, stack, stackYaml, support, withRollouts } from "./rolloutProject";
import { refusal, runWith } from "./terminal";

const state = { entries: [support(10)] };
const promote = ({ world }: RolloutProject, name = "front") =>
  runWith(promoteCommand.run, [name, "--stack", "prod"], world);

/** The edit alone: what the text is with this value. */
const edited = (text: string, next: Partial<Rollout>) => {
  const file = { path: "/Pulumi.prod.yaml", shown: "Pulumi.prod.yaml", text };
  const found = findRollout(file, { folder: "/", name: "phones", config: {} }, { name: "front" });
  return found.edited({ ...found.value, ...next });
};

describe("the edit of a stack's config file", () => {
  const block = "config:\n  phones:front:\n    stable: agent_a@1\n    candidate: agent_b@2\n    percent: 10\n";
  const texts: Record<string, [string, string]> = {
    "with CRLF": [block.replaceAll("\n", "\r\n"), block.replaceAll("\n", "\r\n").replace("10", "50")],
    "without a last line end": [block.trimEnd(), block.trimEnd().replace("10", "50")],
    "with characters beyond ASCII before it": [`# Größe 📞\n${block}`, `# Größe 📞\n${block.replace("10", "50")}`],
    "in one line": [
      "config: { 'phones:front': { percent: 10, stable: agent_a@1, candidate: 'agent_b@2' } } # all\n",
      "config: { 'phones:front': { percent: 50, stable: agent_a@1, candidate: 'agent_b@2' } } # all\n",
    ],
    "as JSON": [
      '{"config": {"phones:front": {"stable": "agent_a@1", "candidate": "agent_b@2", "percent": 10}}}',
      '{"config": {"phones:front": {"stable": "agent_a@1", "candidate": "agent_b@2", "percent": 50}}}',
    ],
    "beside anchors, aliases, tags and long texts of others": [
      `base: &base\n  a: 1\nconfig:\n  phones:other: *base\n  phones:text: |\n    percent: 10\n      stable\n  phones:n: !!str 5\n${block.slice(8)}`,
      `base: &base\n  a: 1\nconfig:\n  phones:other: *base\n  phones:text: |\n    percent: 10\n      stable\n  phones:n: !!str 5\n${block.slice(8).replace("percent: 10", "percent: 50")}`,
    ],
    "with a percentage in another notation": [block.replace("10", "1e1"), block.replace("10", "50")],
    "with deep indentation and comments between": [
      "config:\n        phones:front:\n                # a\n                stable: agent_a@1\n\n                candidate: agent_b@2 # b\n                # c\n                percent:   10   # d\n",
      "config:\n        phones:front:\n                # a\n                stable: agent_a@1\n\n                candidate: agent_b@2 # b\n                # c\n                percent:   50   # d\n",
    ],
  };
  for (const [name, [before, after]] of Object.entries(texts)) {
    it(`changes one value of a file ${name}`, () => assert.equal(edited(before, { percent: 50 }), after));
  }

  it("adds what is missing beside what is there, in its order and with its line ends", () => {
    const [one, line] = ["config:\r\n  phones:front:\r\n    stable: agent_a@1 # now", "\r\n"];
    const next = { candidate: "agent_b@2", percent: 1 };
    const added = "\r\n    candidate: agent_b@2\r\n    percent: 1";
    assert.equal(edited(one, next), one + added);
    assert.equal(edited(`${one}${line}  other: 1${line}`, next), `${one}${added}${line}  other: 1${line}`);
    assert.equal(
      edited("config: {phones:front: {stable: agent_a@1}}\n", next),
      "config: {phones:front: {stable: agent_a@1, candidate: agent_b@2, percent: 1}}\n",
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
      indent: fc.integer({ min: 3, max: 9 }),
      percent: fc.integer({ min: 0, max: 100 }),
    });
    fc.assert(
      fc.property(parts, ({ comment, before, quote, lineEnd, order, indent, percent }) => {
        const text = ({ stable, candidate, percent }: Required<Rollout>) => {
          const values = { stable: quote + stable + quote, candidate: quote + candidate + quote, percent };
          const own = order.map((field) => `${" ".repeat(indent)}${field}: ${values[field]}${comment}`);
          return ["config:", ...before, `  phones:front:${comment}`, ...own, `  z:z: 1${comment}`, ""].join(lineEnd);
        };
        const next = { stable: "agent_b@20", candidate: "agent_c@300", percent };
        assert.equal(edited(text({ stable: "agent_a@1", candidate: "agent_b@2", percent: 10 }), next), text(next));
      }),
      { numRuns: 500 },
    );
  });

  it("keeps the mode of the file, and a symbolic link to it", () =>
    withRollouts({ prod: stack(10) }, async (project) => {
      renameSync(project.path("Pulumi.prod.yaml"), project.path("shared.yaml"));
      chmodSync(project.path("shared.yaml"), 0o640);
      symlinkSync("shared.yaml", project.path("Pulumi.prod.yaml"));
      assert.equal((await promote(project)).code, 0);
      assert.ok(lstatSync(project.path("Pulumi.prod.yaml")).isSymbolicLink());
      assert.equal(project.read("shared.yaml"), stackYaml(at(50)));
      assert.equal(statSync(project.path("shared.yaml")).mode & 0o777, 0o640);
    }));

  it("keeps a byte order mark", () =>
    withRollouts({ prod: { yaml: `\ufeff${stackYaml(at(10))}`, state } }, async (project) => {
      assert.deepEqual(
        [(await promote(project)).code, project.read("Pulumi.prod.yaml")],
        [0, `\ufeff${stackYaml(at(50))}`],
      );
    }));

  it("finds the file from a folder below, and where the project keeps its config", () =>
    withRollouts(
      { prod: stack(10) },
      async (project) => {
        const cwd = join(project.folder, "config");
        const moved = spawnSync("sh", ["-c", "mkdir config && mv Pulumi.prod.yaml config/"], { cwd: project.folder });
        assert.equal(moved.status, 0);
        assert.equal((await runWith(promoteCommand.run, ["--stack", "prod"], { ...project.world, cwd })).code, 0);
        assert.equal(project.read("config/Pulumi.prod.yaml"), stackYaml(at(50)));
      },
      "name: phones\nruntime: nodejs\nstackConfigDir: config\n",
    ));
});

describe("an edit that would change more than the value", () => {
  it("is refused: the text is read again before it is written", () =>
    withRollouts(
      { prod: { yaml: `config: &all\n  phones:front:\n${at(10)}\ncopy: *all\n`, state } },
      async (project) => {
        const message =
          "Pulumi.prod.yaml: phones:front is written in a way that this command cannot edit in place. Write stable, candidate and percent on lines of their own, in this order.";
        assert.deepEqual(await promote(project), refusal("promote", message));
      },
    ));
});

describe("a config file that promote and abort refuse", () => {
  async function refused({ world }: RolloutProject, message: string): Promise<void> {
    for (const { name, run } of [promoteCommand, abortCommand]) {
      assert.deepEqual(await runWith(run, ["front", "--stack", "prod"], world), refusal(name, message));
    }
  }

  const front = "config:\n  phones:front:\n";
  const secure = "secure: AAABAKz5";
  const own = (line: number, message: string) => `Pulumi.prod.yaml, line ${line}: phones:front${message}`;
  const anchored = " has an anchor or an alias, so an edit would change more than this rollout. Write its values out.";
  const cases: Record<string, [string | Uint8Array, string]> = {
    "no YAML": [
      "config:\n  a: [1\nb: 2\n",
      "Pulumi.prod.yaml is not YAML: line 3: Flow sequence in block collection must be sufficiently indented and end with a ]",
    ],
    "no UTF-8": [new Uint8Array([0x63, 0xff]), "Pulumi.prod.yaml is not UTF-8; save it as UTF-8."],
    "two documents": [
      `${stackYaml(at(10))}---\na: 1\n`,
      "Pulumi.prod.yaml is not YAML: line 11: Source contains multiple documents; please use YAML.parseAllDocuments()",
    ],
    "a key that is there twice": [
      stackYaml(`${at(10)}\n    percent: 50`),
      "Pulumi.prod.yaml has a key twice: percent in line 9. Keep one of them.",
    ],
    "a key that is there twice, elsewhere": [
      stackYaml(at(10), "  phones:reassert: 1\n"),
      "Pulumi.prod.yaml has a key twice: phones:reassert in line 11. Keep one of them.",
    ],
    "an anchor on the value": [`${front.trimEnd()} &front\n${at(10)}\n`, own(3, anchored)],
    "an anchor inside the value": [`${front}${at(10).replace("percent: 10", "percent: &ten 10")}\n`, own(3, anchored)],
    "an alias": [`base: &base {stable: agent_a@1}\nconfig:\n  phones:front: *base\n`, own(3, anchored)],
    "a merge of another map": [
      `base: &base {candidate: agent_a@1}\n${front}    <<: *base\n    stable: agent_a@1\n`,
      own(4, anchored),
    ],
    "a secret": [`${front}    ${secure}\n`, own(3, " is a secret. A rollout is reviewed, so write it in plain text.")],
    "a secret inside": [
      `${front}    stable: {${secure}}\n`,
      own(3, " is a secret. A rollout is reviewed, so write it in plain text."),
    ],
    "JSON in one text": [
      `config:\n  phones:front: '{"stable": "agent_a@1"}'\n`,
      own(2, " is JSON in one text. Write it as a map of YAML: stable, candidate and percent on lines of their own."),
    ],
    "a list": [
      "config:\n  phones:front: [1]\n",
      own(2, " is no rollout: that is a map with stable, candidate and percent."),
    ],
    "a percentage that is text": [
      `${front}${at(10).replace(": 10", ': "10%"')}\n`,
      own(5, '.percent must be a number from 0 to 100; found "10%".'),
    ],
    "a stable that is no agent": [
      `${front}${at(10).replace("agent_front@12", "front")}\n`,
      own(3, ".stable must be an agent, as in `agent_front@12`."),
    ],
    "a key that no rollout has": [
      `${front}${at(10)}\n    weight: 1\n`,
      own(3, " has the key weight; a rollout has stable, candidate and percent."),
    ],
    "no rollout": [
      "config:\n  phones:front2: 1\n",
      "Pulumi.prod.yaml has no rollout. A rollout is a map with stable, candidate and percent, such as phones:front.",
    ],
  };
  for (const [name, [yaml, message]] of Object.entries(cases)) {
    it(`${name}: exit code 2, and the file as it was`, () =>
      withRollouts({ prod: { yaml, state } }, async (project) => {
        await refused(project, message);
        const text = typeof yaml === "string" ? yaml : Buffer.from(yaml).toString("utf8");
        assert.equal(project.read("Pulumi.prod.yaml"), text);
        assert.deepEqual(project.files(), ["Pulumi.prod.yaml", "Pulumi.yaml"]);
      }));
  }

  const unknown: Record<string, [string, string, string, string?]> = {
    "a name with a slip": [
      "frnt",
      at(10),
      'Pulumi.prod.yaml has no rollout "frnt". Did you mean front? Its rollouts: front.',
    ],
    "another name": ["desk", at(10), 'Pulumi.prod.yaml has no rollout "desk". Its rollouts: front.'],
    "a value of the project's file": [
      "desk",
      at(10),
      "phones:desk is in Pulumi.yaml, which every stack reads. Move it to Pulumi.prod.yaml: this command edits that file alone.",
      "name: phones\nconfig:\n  phones:desk:\n    value: {stable: agent_a@1}\n",
    ],
  };
  for (const [name, [given, rollout, message, project]] of Object.entries(unknown)) {
    it(`${name}: exit code 2`, () =>
      withRollouts(
        { prod: { yaml: stackYaml(rollout), state } },
        async (one) => {
          assert.deepEqual(await promote(one, given), refusal("promote", message));
        },
        project,
      ));
  }

  it("several rollouts and no name: exit code 2", () => {
    const more = "  phones:desk:\n    stable: agent_a@1\n";
    return withRollouts({ prod: { yaml: stackYaml(at(10), more), state } }, async ({ world }) => {
      assert.deepEqual(
        await runWith(promoteCommand.run, ["--stack", "prod"], world),
        refusal("promote", "Pulumi.prod.yaml has 2 rollouts. Name one of front, desk."),
      );
    });
  });

  it("a file that is not there, and a folder without a project: exit code 2", () =>
    withRollouts({ prod: { state } }, async (project) => {
      await refused(project, "Pulumi.prod.yaml cannot be read (ENOENT).");
      const elsewhere = { ...project, world: { ...project.world, cwd: "/" } };
      await refused(elsewhere, "There is no Pulumi.yaml here or above. Run this in the folder of the program.");
    }));

  it("a read-only file: exit code 2, and the file as it was", () =>
    withRollouts({ prod: stack(10) }, async (project) => {
      chmodSync(project.path("Pulumi.prod.yaml"), 0o444);
      await refused(project, "Pulumi.prod.yaml is read-only. Nothing was changed.");
      assert.equal(project.read("Pulumi.prod.yaml"), stackYaml(at(10)));
    }));

  it("a disk that takes no more: exit code 2, and the file as it was", () =>
    withRollouts({ prod: stack(10) }, async (project) => {
      // No file may grow, which the system reports where a full disk reports ENOSPC: at the write.
      const script = `trap '' XFSZ; ulimit -f 0; exec "${process.execPath}" "${repository}/dist/cli/main.js" promote --stack prod`;
      const ran = spawnSync("bash", ["-c", script], { cwd: project.folder, env: project.world.env, encoding: "utf8" });
      assert.deepEqual(
        [ran.status, ran.stdout, ran.stderr],
        [2, "", "agent-platform promote: Pulumi.prod.yaml cannot be written (EFBIG). Nothing was changed.\n"],
      );
      assert.equal(project.read("Pulumi.prod.yaml"), stackYaml(at(10)));
      assert.deepEqual(project.files(), ["Pulumi.prod.yaml", "Pulumi.yaml"]);
    }));
});
