import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HostServer } from "./hostServer";
import { github, withHost } from "./pipelineJobs";
import { type EmptyFolder, withEmptyFolder } from "./pipelineProject";
import { walkOf } from "./threeStacks";

/** The first week of a team, from an empty folder to a new version in prod: by the commands of the pages and the scripts of the pipelines. */

const STACKS = ["dev", "canary", "prod"] as const;
type StackName = (typeof STACKS)[number];

type Split = Readonly<Record<string, number>>;
interface Row {
  readonly number: string;
  readonly label: string;
  readonly agents: Split;
}

const FRONT: Split = { "agent_front@12": 100 };
const NIGHT: Split = { "agent_front@12": 70, "agent_night@4": 30 };
const rowsOf = (prefix: string, count: number, label: string, agents: Split): Row[] =>
  Array.from({ length: count }, (_, index) => ({
    number: `${prefix}${String(index).padStart(5, "0")}`,
    label: `${label} ${index + 1}`,
    agents,
  }));

/** The 40 numbers of the team. */
const TABLE: Readonly<Record<StackName, readonly Row[]>> = {
  dev: rowsOf("+15551", 2, "Test", FRONT),
  canary: rowsOf("+15552", 8, "Leeds", FRONT),
  prod: [...rowsOf("+15553", 26, "London", FRONT), ...rowsOf("+15554", 4, "Night", NIGHT)],
};
const NUMBERS = Object.values(TABLE).flatMap((rows) => rows.map(({ number }) => number));

function csv(rows: readonly Row[]): string {
  const lines = rows.map(({ number, label, agents }) => {
    const cell = Object.entries(agents).map(([agent, weight]) => `${agent}:${weight}`);
    return `${number},${label},${cell.join(" ")},agent_out@9,https://hooks.example.com/in,on\n`;
  });
  return `number,label,agents,outbound,webhook,time routing\n${lines.join("")}`;
}

/** Stacks have numbers of their own: a program that loads those of another one would assign them in both. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: a program in TypeScript
const EACH_ITS_OWN = 'import { getStack } from "@pulumi/pulumi";\n\nrequire(`./${getStack()}`);\n';

const COMMAND = "npx pulumi-agent-platform";

/** [the file, what is changed in it, to what, the headline of the report]: each is a mistake that somebody makes. */
const MISTAKES: readonly (readonly [string, string | RegExp, string, string])[] = [
  [
    "Pulumi.prod.yaml",
    "stable: agent_front@12",
    "stable: agent_frnot@12",
    "`front`: `inboundAgents: agent_frnot@12 is not approved: did you mean agent_front@12?`",
  ],
  ["prod.ts", /\n +inboundAgents: .*/, "", "`front-night`: `inboundAgents was set and is now missing`"],
  [
    "prod.ts",
    '"agent_night@4": 30',
    '"agent_night@4": 40',
    "`front-night`: `inboundAgents: the weights sum to 110, expected 100 (agent_front@12 70, agent_night@4 40)`",
  ],
  [
    "prod.ts",
    'outboundAgentId: "agent_out"',
    'outboundAgentId: "agent_outt"',
    "`front`: `outboundAgentId: agent_outt@9 is not approved: did you mean agent_out@9?`",
  ],
];

/** Small enough that a guard lets it pass. */
const TYPING_MISTAKE =
  "### `prod`: ⚠ `agent_frnot@14` is not in `agents.yaml` and gets 1 % of the calls of 26 numbers: did you mean `agent_front@14`? · Traffic on 26 numbers (`front`): `agent_frnot@14` none → 1 %, `agent_front@12` 100 % → 99 %";

/** How far version 14 is in each stack. */
type Percents = Partial<Record<StackName, number>>;

class Week {
  readonly #team: EmptyFolder;
  readonly #host: HostServer;
  readonly #walk: ReturnType<typeof walkOf>;

  constructor(team: EmptyFolder, host: HostServer) {
    this.#team = team;
    this.#host = host;
    this.#walk = walkOf(team, host);
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.#team.folder, file), text);
  }

  edit(file: string, from: string | RegExp, to: string): void {
    const text = this.#team.read(file);
    const edited = text.replace(from, to);
    assert.notEqual(edited, text, `${file} has ${from}`);
    this.write(file, edited);
  }

  async merge(message: string): Promise<void> {
    const { git } = this.#team;
    await git("add", "--all");
    await git("commit", "--quiet", "--message", message);
    await git("push", "--quiet", "origin", "HEAD:main");
  }

  /** The check of a pull request: the code with which it ends, and the headline of its report. Nothing is sent. */
  async review(...stacks: readonly StackName[]): Promise<{ readonly code: number; readonly headline: string }> {
    const env = { STACK: stacks[0] ?? "", STACKS: stacks.join(" "), FAIL_ON: "delete,replace,shift>25" };
    const { preview } = github(this.#host, this.#team);
    const { code } = await this.#team.job(["sh scripts/preview.sh"], { ...preview, ...env });
    assert.deepEqual(this.sent(), []);
    return { code, headline: this.#team.read("report.md").split("\n")[2] ?? "" };
  }

  async up(): Promise<void> {
    for (const stack of STACKS) {
      await this.#walk.script(stack, "up.sh");
    }
  }

  /** From promotion to promotion, each with its pull request, its report and its merge. */
  async roll(stack: StackName, percents: readonly number[], others: Percents, to = ""): Promise<void> {
    for (const [index, percent] of percents.entries()) {
      await this.#walk.promote(stack, index === 0 && to !== "" ? { TO: to } : {});
      this.has({ ...others, [stack]: percent });
    }
    // All of them are merged, so the host has none that waits.
    this.#host.opened.length = 0;
    this.#host.ended.length = 0;
  }

  async abort(stack: StackName): Promise<void> {
    await this.#walk.script(stack, "abort.sh", { GITHUB_ACTOR: "chi" });
  }

  /** The numbers of the requests since the last look. */
  sent(): string[] {
    const { emulator } = this.#team;
    const numbers = emulator.requests.map(({ number }) => number ?? "");
    emulator.clearRequests();
    return numbers.sort();
  }

  /** The platform has this of every number. Those of the night are in no rollout. */
  has(percents: Percents): void {
    const wanted = STACKS.flatMap((stack) => {
      const percent = percents[stack] ?? 0;
      const all = { "agent_front@12": 100 - percent, "agent_front@14": percent };
      const front = Object.fromEntries(Object.entries(all).filter(([, weight]) => weight > 0));
      return TABLE[stack].map(({ number, agents }) => [number, agents === NIGHT ? NIGHT : front]);
    });
    const live = [...this.#team.emulator.numbers].map(([number, { inboundAgents }]) => [number, inboundAgents]);
    assert.deepEqual(Object.fromEntries(live), Object.fromEntries(wanted));
  }
}

describe("the first week of a team", function () {
  // Sixty runs of the engine: alone they take three minutes, on a machine with other work ten.
  this.timeout(30 * 60_000);

  it("goes from an empty folder and a table of 40 numbers to version 14 in prod, over wrong changes and an abort", () =>
    withHost((host) =>
      withEmptyFolder(async (team) => {
        const { passes, git, read, emulator } = team;
        const week = new Week(team, host);

        // Monday: a project, and the numbers of the table. Its guards have to know the agents that callers have.
        await passes([`${COMMAND} init . --stacks dev,canary,prod --pipelines github --base-url ${emulator.url}`]);
        for (const stack of STACKS) {
          week.write(`${stack}.csv`, csv(TABLE[stack]));
          const taken = `new=$(mktemp -d) && ${COMMAND} takeover ${stack}.csv "$new/${stack}" --stack ${stack}`;
          await passes([`${taken} && mv "$new/${stack}/index.ts" ${stack}.ts && rm -r "$new"`]);
        }
        week.write("index.ts", EACH_ITS_OWN);
        week.write("agents.yaml", `${read("agents.yaml")}- agent_night@4\n- agent_out@9\n`);
        // The example's rollout, which no number of the table has.
        week.edit("Pulumi.dev.yaml", /\n +candidate: .*\n +percent: .*/, "");
        await passes(STACKS.map((stack) => `pulumi stack init ${stack}`));
        assert.deepEqual(await week.review(...STACKS), {
          code: 0,
          headline:
            "### `dev`: First assignment overwrites 2 numbers (`front`) with `agent_front@12` 100 % · `canary`: First assignment overwrites 8 numbers (`front`) with `agent_front@12` 100 % · `prod`: First assignment overwrites 30 numbers, in 2 different ways",
        });
        await week.merge("40 numbers");
        await week.up();
        assert.deepEqual(week.sent(), NUMBERS);
        week.has({});

        // Tuesday: a rollout says who answers. While that is the same agent, nothing is sent.
        for (const stack of STACKS) {
          week.edit(`${stack}.ts`, 'inboundAgents: split({ "agent_front@12": 100 }),', 'rollout: "front",');
        }
        week.edit("Pulumi.dev.yaml", "[1, 10, 50, 100]", "[100]");
        week.edit("Pulumi.canary.yaml", "[1, 10, 50, 100]", "[10, 100]");
        week.edit("Pulumi.prod.yaml", "[1, 10, 50, 100]", "[1, 50, 100]");
        week.write("agents.yaml", `${read("agents.yaml")}- agent_front@14\n`);
        assert.deepEqual(await week.review("prod"), {
          code: 0,
          headline: "### `prod`: Recorded, nothing is sent: 26 numbers (`front`)",
        });
        await week.merge("a rollout");
        await week.up();
        assert.deepEqual(week.sent(), []);

        // Wednesday: wrong changes.
        for (const [file, from, to, headline] of MISTAKES) {
          week.edit(file, from, to);
          const refused = `### ❌ \`prod\`: Refused, nothing is sent: ${headline}`;
          assert.deepEqual(await week.review("prod"), { code: 1, headline: refused });
          await git("checkout", "--quiet", "--", ".");
        }
        week.edit("Pulumi.prod.yaml", /( +)stable: .*/, "$&\n$1candidate: agent_frnot@14\n$1percent: 1");
        assert.deepEqual(await week.review("prod"), { code: 0, headline: TYPING_MISTAKE });
        await git("checkout", "--quiet", "--", ".");

        // Thursday: version 14 goes from dev over canary to prod.
        await week.roll("dev", [100], {}, "agent_front@14");
        await week.roll("canary", [10, 100], { dev: 100 });
        await week.roll("prod", [1, 50], { dev: 100, canary: 100 });

        // Friday: it is aborted, in one commit by the person who pressed the button, and starts again.
        week.sent();
        await week.abort("prod");
        assert.equal(week.sent().length, 26);
        week.has({ dev: 100, canary: 100 });
        assert.equal(
          await git("log", "-1", "--format=%an: %s", "origin/main"),
          "chi: front in prod: agent_front@14 aborted at 50 %",
        );
        await week.roll("prod", [1, 50, 100], { dev: 100, canary: 100 }, "agent_front@14");
        assert.deepEqual(emulator.calls("+1555300000", 1000), { "agent_front@14": 1000 });
      }),
    ));
});
