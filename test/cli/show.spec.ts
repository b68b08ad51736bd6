import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { boardCommand } from "../../cli/commands/board";
import { doctorCommand } from "../../cli/commands/doctor";
import { showCommand } from "../../cli/commands/show";
import { NOT_UNASSIGNED } from "../../cli/state/numbers";
import { COLUMNS, FIELDS } from "../../provider/routing/routing";
import { fakeCli } from "../support/engineFakes";
import { everyField } from "../support/everyField";
import { assertShows, namedIn } from "../support/named";
import { checkRows } from "../support/rows";
import {
  type Entry,
  group,
  number,
  platform,
  type RecordedStack,
  secret,
  type Written,
  withRecorded,
} from "./recorded";
import { ahead, emea, support } from "./showCases";
import { runWith } from "./terminal";

/** Runs `show` with these arguments on a stack named `dev` that has this state. */
const run = (state: Written, ...argv: string[]) =>
  withRecorded({ dev: { state } }, (world) => runWith(showCommand.run, [...argv, "--stack", "dev"], world));

/** Returns the rows that `show` prints for a number, keyed by the row's name. */
async function rowsOf(entries: readonly Entry[], id = "1"): Promise<Record<string, string>> {
  const { stdout } = await run({ entries }, id);
  const rows = stdout.matchAll(/^ {2}(\S.{0,13}?) {2,}(.*)$/gm);
  return Object.fromEntries([...rows].map(([, name, text]) => [name, text]));
}
const rowOf = async (name: string, entry: Entry) => (await rowsOf([entry]))[name];

/**
 * For each line of the list of numbers, returns the facts about the number (see `namedIn`) and the name of the resource
 * that declares it.
 */
const listed = (stdout: string): (readonly [facts: string, resource: string | undefined])[] =>
  stdout
    .split("\n")
    .filter((line) => /^ {2}\S+ {2}/.test(line))
    .map((line) => [namedIn(line), /; resource ([^;]+)/.exec(line)?.[1]]);

const urn = (kind: string, name: string) =>
  `urn:pulumi:dev::phones::pulumi-nodejs:dynamic/agent-platform:${kind}::${name}`;

describe("agent-platform show", () => {
  it("prints a number's routing and the resource that declares it", async () => {
    const rows = await rowsOf([support], "+15550000001");
    assert.deepEqual(rows, {
      "declared by": 'NumberAssignment "support"',
      "applied at": `${platform} (workspace 42, account 3f)`,
      "split now": "agent_a@1 90%, agent_b@2 10%",
      "split before": "agent_a@1 100%",
      outbound: "agent_a@1",
      webhook: "https://hooks.example.com/in?…",
      "time routing": "off",
    });
    const { stdout } = await run({ entries: [support] }, "+15550000001");
    assert.ok(stdout.endsWith(`\n${urn("NumberAssignment", "support")}\n`), stdout);
  });

  it("prints every routing field that a `takeover` table has", async () => {
    const rows = await rowsOf([number("support", "1", everyField())]);
    const without = await rowsOf([number("support", "1")]);
    for (const column of COLUMNS) {
      const row = column === FIELDS.inboundAgents.column ? "split now" : column;
      assert.ok(rows[row] !== undefined && rows[row] !== without[row], row);
    }
  });

  it("prints a number's rollout, percentage and start time", async () => {
    const rollout = { stable: "agent_a@1", candidate: "agent_b@2", percent: 10 };
    const aborted = { agent: "agent_b@2", percent: 10, at: "2026-11-23T09:00:00Z" };
    const entries = [
      group("emea", "1\n2\n3\n", { rollout, since: "2026-11-20T14:02:31Z" }),
      number("named", "4", { rollout: { name: "front", ...rollout } }),
      number("taken back", "5", { rollout: { name: "front", stable: "agent_a@1", aborted } }),
    ];
    const rolloutFacts = async (id: string) => {
      const { rollout: row = "", since } = await rowsOf(entries, id);
      return [row.startsWith("front: "), namedIn(row), since && namedIn(since)];
    };
    assert.deepEqual(await rolloutFacts("3"), [false, "agent_b@2 10% agent_a@1", "2026-11-20 14:02 2 19"]);
    assert.deepEqual(await rolloutFacts("4"), [true, "agent_b@2 10% agent_a@1", undefined]);
    assert.deepEqual(await rolloutFacts("5"), [true, "agent_a@1 agent_b@2 2026-11-23 09:00", undefined]);
  });

  it("prints one number or all numbers as JSON with --json", async () => {
    const rollout = { name: "front", stable: "agent_a@1", candidate: "agent_b@2", percent: 30 };
    const saved = group("emea", "+15550000002\tLondon\n", {
      workspaceId: 42,
      inboundAgents: { "agent_a@1": 7, "agent_b@2": 3 },
      rollout,
      unapplied: [
        {
          numbers: "+15550000002\n",
          reason: "unknown",
          applied: { inboundAgents: { "agent_a@1": 100 } },
          maybe: { inboundAgents: { "agent_a@1": 70, "agent_b@2": 30 } },
        },
      ],
    });
    const state = { entries: [saved], pending: [{ ...saved, operation: "updating" }] };
    const json = async (...argv: string[]) => {
      const { code, stdout } = await run(state, ...argv, "--json");
      return [code, JSON.parse(stdout)];
    };
    const value = {
      number: "+15550000002",
      label: "London",
      stack: "dev",
      project: "phones",
      resource: { kind: "NumberGroup", name: "emea", urn: urn("NumberGroup", "emea") },
      isReplaced: false,
      stopped: "updating",
      endpoint: platform,
      workspaceId: 42,
      current: [{ "agent_a@1": 100 }, { "agent_a@1": 70, "agent_b@2": 30 }],
      wanted: { "agent_a@1": 70, "agent_b@2": 30 },
      split: { "agent_a@1": 70, "agent_b@2": 30 },
      rollout,
      unapplied: {
        reason: "unknown",
        applied: { "agent_a@1": 100 },
        maybe: [{ "agent_a@1": 70, "agent_b@2": 30 }],
      },
    };
    const step = { operation: "updating", ...value.resource, stack: "dev" };
    assert.deepEqual(await json("+15550000002"), [0, { number: "+15550000002", found: [value], pending: [step] }]);
    assert.deepEqual(await json(), [0, { numbers: [value] }]);
    assert.deepEqual(await json("+15550000009"), [1, { number: "+15550000009", found: [], pending: [] }]);
  });

  const applied = { inboundAgents: { "agent_a@1": 100 } };

  it("prints the label of a number in a group", async () => {
    const { stdout } = await run({ entries: [emea] }, "+15550000001");
    const [head = ""] = stdout.split("\n");
    assert.equal(namedIn(head), '+15550000001 "London sales"');
    assert.match(head, /\bdev\b.*\bphones\b/);
    const rows = await rowsOf([emea], "+15550000001");
    assert.deepEqual(
      [rows["declared by"], rows.webhook, rows["time routing"]],
      ['NumberGroup "emea"', "none declared", "not declared"],
    );
  });

  it("lists all numbers of the stack by default", async () => {
    const split = "agent_a@1 70% agent_b@2 30%";
    const { code, stdout } = await run({ entries: [emea, number("support", "4001")] });
    assert.equal(code, 0);
    assert.deepEqual(listed(stdout), [
      [`+15550000001 ${split} "London sales"`, "emea"],
      [`+15550000002 agent_a@1 100% ${split}`, "emea"],
      [`+15550000003 agent_a@1 100% ${split}`, "emea"],
      ["4001 agent_a@1 90% agent_b@2 10%", "support"],
    ]);
    assert.equal((await run({})).code, 0);
  });

  it("prints the configured split as wanted if it is not applied yet", () =>
    withRecorded({ dev: ahead }, async (world) => {
      const { stdout } = await runWith(showCommand.run, ["4001", "--json", "--stack", "dev"], world);
      const [found] = JSON.parse(stdout).found;
      assert.deepEqual(found.current, [{ "agent_a@1": 90, "agent_b@2": 10 }]);
      assert.deepEqual(found.wanted, { "agent_a@1": 50, "agent_b@2": 50 });
      assert.deepEqual(found.rollout, { name: "front", stable: "agent_a@1", candidate: "agent_b@2", percent: 50 });
      assert.equal(found.since, "2026-11-20T14:02:31.000Z", "the time at which the number received its current split");
      const { stdout: text } = await runWith(showCommand.run, ["4001", "--stack", "dev"], world);
      assert.match(text, /^ {2}split wanted +agent_a@1 50%, agent_b@2 50%$/m);
      assert.match(text, /^ {2}rollout wanted +front: /m);
      const { stdout: page } = await runWith(boardCommand.run, ["--stack", "dev"], world);
      assert.match(page, /Wanted<[\s\S]{0,80}aria-label="agent_a@1 50%, agent_b@2 50%"/);
    }));

  it("escapes lines that GitHub Actions would run as commands", async () => {
    const state = { entries: [number("##[error]x", "::warning::4001")] };
    for (const argv of [[], ["::warning::4001"], ["##[error]nothing"]]) {
      const { stdout } = await run(state, ...argv);
      assert.match(stdout, /:warning::4001|\[error\]nothing/, argv.join());
      assert.doesNotMatch(stdout, /^\s*::|##\[/m, argv.join());
    }
  });

  it("lists a removed number that still has its agents", async () => {
    const original = group("g", "+1\n+2\n", { inboundAgents: { agent_a: 100 } }, { delete: true });
    const { stdout } = await run({ entries: [group("g", "+2\n", { inboundAgents: { agent_b: 100 } }), original] });
    const rows = [`  +1  agent_a 100%; ${NOT_UNASSIGNED}; resource g`, "  +2  agent_b 100%; resource g"];
    assert.deepEqual(stdout.split("\n").slice(2, -1), rows);
  });

  it("lists a number under the new name of a renamed resource", async () => {
    const original = number("line", "1", {}, { modified: "2026-11-20T09:00:00Z" });
    const renamed = (unapplied?: object[]) =>
      number("moved", "1", { inboundAgents: { "agent_b@2": 100 }, unapplied }, { modified: "2026-11-23T09:00:00Z" });
    const linesOf = async (...entries: Entry[]) => listed((await run({ entries })).stdout);
    assert.deepEqual(await linesOf(renamed(), original), [["1 agent_b@2 100%", "moved"]]);
    // The renamed resource's request was rejected, so the original's split is still in effect.
    assert.deepEqual(await linesOf(renamed([{ numbers: "1\n", reason: "rejected" }]), original), [
      ["1 agent_b@2 100%", "moved"],
      ["1 agent_a@1 90% agent_b@2 10%", "line"],
    ]);
  });

  it("prints an unapplied rollout as wanted, not as current", async () => {
    const rollout = { name: "front", stable: "agent_a@1", candidate: "agent_b@2", percent: 50 };
    const rows = await rowsOf([
      number("a", "1", { rollout, unapplied: [{ numbers: "1\n", reason: "rejected", applied }] }),
    ]);
    assert.deepEqual(
      [rows.rollout, namedIn(rows["rollout wanted"] ?? ""), rows["split now"]],
      [undefined, "agent_b@2 50% agent_a@1", "agent_a@1 100%"],
    );
  });

  describe("for an unapplied number", () => {
    const since = "2026-11-20T14:02:31Z";
    const previousSplit = async (part: object, more: object = {}) => {
      const rows = await rowsOf([
        group("emea", "1\n2\n", {
          previousInboundAgents: { "agent_a@1": 100 },
          since,
          unapplied: [{ numbers: "1\n", ...part }],
          ...more,
        }),
      ]);
      return [rows["split before"], rows.since && namedIn(rows.since)];
    };
    const declared = { inboundAgents: { "agent_a@1": 70, "agent_b@2": 30 }, inboundWebhookUrl: "[set]" };

    it("prints the previous split as unknown if the new one may be unapplied", async () => {
      const rejected = { reason: "rejected", applied };
      assert.deepEqual(await previousSplit(rejected), ["not known", undefined]);
      const unknown = { reason: "unknown", applied, maybe: [declared] };
      assert.deepEqual(await previousSplit(unknown), ["not known", undefined]);
    });

    it("prints the previous split if only the webhook was rejected", async () =>
      assert.deepEqual(await previousSplit({ reason: "rejected", applied: declared }), [
        "agent_a@1 100%",
        "2026-11-20 14:02 2 19",
      ]));
  });

  for (const { name, id, now, maybe, row } of [
    {
      name: "prints the current split if the API rejected the wanted one",
      id: "+15550000002",
      now: "agent_a@1 100%",
      row: "not applied",
    },
    {
      name: "prints the possible splits if the outcome of a request is unknown",
      id: "+15550000003",
      maybe: "agent_a@1 100%",
      row: "unconfirmed",
    },
  ]) {
    it(name, async () => {
      const rows = await rowsOf([emea], id);
      assert.deepEqual(
        [rows["split wanted"], rows["split now"], rows["may have"] && namedIn(rows["may have"])],
        ["agent_a@1 70%, agent_b@2 30%", now, maybe],
      );
      assert.match(rows[row] ?? "", /`pulumi up`/);
    });
  }

  it("distinguishes an empty split from a missing one", async () => {
    const currentSplit = (inboundAgents: unknown) => rowOf("split now", number("a", "1", { inboundAgents }));
    assert.equal(await currentSplit({ agent_a: 100, agent_b: 0 }), "agent_a 100%, agent_b 0%");
    const [empty = "", missing = ""] = [await currentSplit({}), await currentSplit(undefined)];
    assert.notEqual(empty, missing);
    assert.doesNotMatch(`${empty} ${missing}`, /agent_|%/);
  });

  const stacks: Readonly<Record<string, RecordedStack>> = {
    a: { state: { entries: [number("one", "1")] } },
    b: { state: { entries: [group("many", "1\n2\n")] } },
  };

  it("lists every resource that declares a number, across stacks", () =>
    withRecorded(stacks, async (world) => {
      const argv = ["1", "--stack", "a", "--stack", "b"];
      const { stdout } = await runWith(showCommand.run, [...argv, "--json"], world);
      const found = JSON.parse(stdout).found as { stack: string; project: string; resource: { name: string } }[];
      assert.deepEqual(
        found.map(({ stack, project, resource }) => [stack, project, resource.name]),
        [
          ["a", "phones", "one"],
          ["b", "phones", "many"],
        ],
      );
      const { stdout: text } = await runWith(showCommand.run, argv, world);
      assert.deepEqual(
        [...text.matchAll(/declared by +(.*)$/gm)].map(([, resource]) => resource),
        ['NumberAssignment "one"', 'NumberGroup "many"'],
      );
    }));

  it("uses the selected Pulumi stack if no --stack is given", () =>
    withRecorded(stacks, async (world) => {
      // The fake CLI prints this file for `pulumi stack --show-name`.
      writeFileSync(join(world.cwd, "../.--show-name.json"), "b\n");
      const { stdout } = await runWith(showCommand.run, ["--json"], world);
      const numbers = JSON.parse(stdout).numbers as { stack: string }[];
      assert.deepEqual(
        numbers.map(({ stack }) => stack),
        ["b", "b"],
      );
    }));

  it("ignores other packages' pending resources when looking up a number", async () => {
    const foreign = { ...number("x", "+2"), more: { type: "other:index:Thing" }, operation: "creating" };
    const pending = [{ ...group("g", "+1\tSales\n"), operation: "creating" }, foreign];
    const { code, stdout } = await run({ pending }, "+1");
    assert.equal(code, 0);
    assert.match(stdout, /NumberGroup "g"[\s\S]*\n {2}npx pulumi-agent-platform doctor --stack dev\n$/);
    assert.equal((await run({ pending }, "+2")).code, 1);
  });

  it("prints every split a number may have after an interrupted run", async () => {
    const rollout = { name: "front", stable: "agent_a@1", candidate: "agent_b@2", percent: 0 };
    const saved = group("g", "+1\n", { inboundAgents: { "agent_a@1": 100 }, rollout });
    const [update, creation] = [
      { ...group("g", "+1\n", { inboundAgents: { "agent_b@2": 100 } }), operation: "updating" },
      { ...group("new", "+2\n"), operation: "creating" },
    ];
    const entries = [saved, number("calm", "+3")];
    const state = { entries, pending: [update, creation] };
    const { stdout } = await run(state, "+1");
    assert.match(stdout, /^ {2}may have {6}agent_a@1 100% or agent_b@2 100%\n {2}split wanted {2}agent_b@2 100%$/m);
    assert.doesNotMatch(stdout, /split now|^ {2}rollout/m);
    const { stdout: list } = await run(state);
    assert.deepEqual(listed(list), [
      ["+1 agent_a@1 100% agent_b@2 100% agent_b@2 100%", "g"],
      ["+3 agent_a@1 90% agent_b@2 10%", "calm"],
      ["+2 agent_a@1 70% agent_b@2 30%", "new"],
    ]);
    assert.match(list, /^ {2}npx pulumi-agent-platform doctor --stack dev$/m);
  });

  it("ignores an interrupted creation that a later run completed", async () => {
    const [saved, split] = [number("calm", "+3"), `agent_a@1 90%, agent_b@2 10%`];
    const state = { entries: [saved], pending: [{ ...saved, operation: "creating" }] };
    const { stdout } = await run(state, "+3");
    assert.deepEqual([stdout.includes(`  split now     ${split}\n`), stdout.includes("stopped")], [true, false]);
  });

  it("suggests a known number if the given one is misformatted", async () => {
    const entries = [number("one", "+15550000001"), group("many", "+15550000002\n4001\n")];
    for (const [argument, suggestion] of [
      ["15550000001", "+15550000001"],
      ["+1 (555) 000-0002", "+15550000002"],
      ["+4001", "4001"],
    ] as const) {
      const { code, stdout } = await run({ entries }, argument);
      assert.equal(code, 1, argument);
      assert.ok(stdout.endsWith(` ${suggestion}?\n`), stdout);
    }
    const { code, stdout } = await run({ entries: [number("desk", "lobby")] }, "reception");
    assert.equal(code, 1);
    assert.doesNotMatch(stdout, /\?/);
  });

  it("redacts both encrypted and plaintext secrets", async () => {
    const plaintext = { ...secret("v1:hush"), ciphertext: undefined, plaintext: '"https://hush.example"' };
    for (const inboundWebhookUrl of [plaintext, secret("v1:hush")]) {
      assert.equal(await rowOf("webhook", number("a", "1", { inboundWebhookUrl })), "[secret]");
    }
  });

  it("escapes control characters in the name of a printed resource", async () => {
    const entry = number("\u001b[31mred", "1");
    assert.equal(await rowOf("declared by", entry), 'NumberAssignment "\\u{1b}[31mred"');
  });
});

describe("a command that reads a stack", () => {
  const commands = { show: showCommand, doctor: doctorCommand, board: boardCommand };
  const assertRefused = ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }, fact: string) => {
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
    assert.ok(stderr.includes(fact), stderr);
  };
  it("explains that the Pulumi project or the Pulumi CLI is missing", () =>
    checkRows(
      Object.entries(commands),
      ([name]) => name,
      ([_, { run: command }]) =>
        withRecorded({}, async (world) => {
          for (const argv of [[], ["--stack", "dev"]]) {
            // The fake CLI fails because it has no stacks. The real one would fail because there is no project.
            assertRefused(await runWith(command, argv, { ...world, cwd: "/" }), "Pulumi.yaml");
            const env = { ...world.env, PATH: "/nowhere" };
            assertRefused(await runWith(command, argv, { ...world, env }), "https://www.pulumi.com/docs/install/");
          }
        }),
    ));

  it("names the config file if it is not valid YAML", () =>
    withRecorded({ prod: {} }, async (world) => {
      fakeCli(
        String(world.env?.PATH).split(delimiter)[0] ?? "",
        `echo "error: invalid YAML file: yaml: line 15: could not find expected ':'" >&2; exit 255`,
      );
      const { code, stderr } = await runWith(doctorCommand.run, ["--stack", "prod"], world);
      assert.equal(code, 2);
      assertShows(stderr, "line 15", "Pulumi.prod.yaml", "`git diff --check`");
    }));
});
