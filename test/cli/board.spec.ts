import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { boardCommand } from "../../cli/commands/board";
import { boardPicture } from "../../tools/pictures";
import { holdPicture } from "../support/pictures";
import { BOARD_STACKS } from "./boardStacks";
import { group, number, type RecordedStack, secret, withRecorded } from "./recorded";
import { runWith } from "./terminal";

type Stacks = Readonly<Record<string, RecordedStack>>;

async function pageOf(stacks: Stacks): Promise<string> {
  const names = Object.keys(stacks).flatMap((name) => ["--stack", name]);
  const { code, stdout, stderr } = await withRecorded(stacks, (world) => runWith(boardCommand.run, names, world));
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout;
}
/** The lines from one heading to the next. */
async function section(stacks: Stacks, from: string, to?: string): Promise<string[]> {
  const { lines } = readPage(await pageOf(stacks));
  const all = lines.slice(lines.findLastIndex((line) => line.startsWith(from)) + 1);
  return to === undefined ? all : all.slice(0, all.indexOf(to));
}

const base = { "agent-platform:baseUrl": "https://platform.example" };
const rollout = { name: "front", stable: "agent_front@12", candidate: "agent_front@13", percent: 10 };

const LAG =
  '3 of 240 numbers of NumberGroup "support" do not have this split yet: +15551230017, +15551230044, +15551230102: run pulumi up';

// As `promote` says it.
const soak = (age: string, ready: string) =>
  `agent_front@13 is at ${age}; promote.minSoak asks for 24h. Ready at ${ready} UTC.`;
const heldAt = (percent: number) =>
  `stack canary gives agent_front@13 ${percent} %; promote.after: canary asks for 100 %.`;

describe("agent-platform board", () => {
  it("shows a rollout over its stacks: who has the calls, since when, who did it, what is next and what holds it", async () => {
    assert.deepEqual(await section(BOARD_STACKS, "Rollouts", "What happened"), [
      "front",
      "Not all callers have what the file says: see prod.",
      ...["dev", "1 number", "agent_front@12 0 % stable", "agent_front@13 100 % candidate"],
      ...["1 % ✓", "10 % ✓", "50 % ✓", "100 %"],
      ...["since 2026-11-19 09:10 UTC 4 days", "Ada: front: 100 % (#36, 6007e12)", "done"],
      ...["canary", "12 numbers", "agent_front@12 50 % stable", "agent_front@13 50 % candidate"],
      ...["10 % ✓", "50 %", "100 %"],
      ...["since 2026-11-22 14:02 UTC 19 hours 18 minutes", "Ben: front: 50 % (#40, 6007e12)"],
      ...["next: 100 %", soak("50 % for 19 hours 18 minutes", "2026-11-23 14:02")],
      ...["prod", "240 numbers", "agent_front@12 90 % stable", "agent_front@13 10 % candidate"],
      ...["1 % ✓", "10 %", "50 %", "100 %"],
      ...["since 2026-11-23 09:02 UTC 18 minutes", "Ada: front: 10 % (#41, 6007e12)"],
      ...["next: 50 %", LAG],
      ...[soak("10 % for 18 minutes", "2026-11-24 09:02"), heldAt(50)],
      "To go back at any time: npx pulumi-agent-platform abort front --stack prod",
    ]);
  });

  const outlooks: Record<string, [Readonly<Record<string, unknown>>, RecordedStack["config"], string[]]> = {
    "a stack without steps": [{}, {}, ["next: not known, because the stack has no steps"]],
    "an abort": [
      {
        candidate: undefined,
        percent: undefined,
        aborted: { agent: "agent_front@13", percent: 1, at: "2026-11-20T00:00:00Z" },
      },
      {},
      ["aborted: agent_front@13 had 1 %"],
    ],
    "a stack to wait for that is not on the page": [
      {},
      {
        "agent-platform:steps": "[10, 50, 100]",
        "agent-platform:rollouts": JSON.stringify({
          front: { stable: "agent_front@12", candidate: "agent_front@13", percent: 10, promote: { after: "canary" } },
        }),
      },
      ["next: 50 %", "promote.after: canary: stack canary is not on this page."],
    ],
  };
  for (const [name, [value, config, lines]] of Object.entries(outlooks)) {
    it(`says what is next for ${name}`, async () => {
      const previousInboundAgents = { "agent_front@12": 99, "agent_front@13": 1 };
      const inboundAgents = { "agent_front@12": 100 };
      const since = "2026-11-23T09:02:00Z";
      const entries = [
        group("support", "1\n", { rollout: { ...rollout, ...value }, inboundAgents, previousInboundAgents, since }),
      ];
      const found = await section(
        { prod: { state: { entries }, config: { ...base, ...config } } },
        "Rollouts",
        "What happened",
      );
      const age = found.findIndex((line) => line.startsWith("since "));
      assert.deepEqual(found.slice(age + 1, age + 1 + lines.length), lines);
    });
  }

  it("says in one line whether callers have what the file says, and names the resources and numbers that do not", async () => {
    const entries = [
      group("support", "1\n", { rollout, since: "2026-11-23T09:02:00Z" }),
      number("desk", "2", { rollout: { ...rollout, candidate: "agent_front@14" }, since: "2026-11-20T09:02:00Z" }),
      number("hotline", "3", { rollout, unapplied: [{ numbers: "3\n", reason: "rejected" }] }),
    ];
    const config = { ...base, "agent-platform:rollouts": JSON.stringify({ front: { ...rollout, name: undefined } }) };
    const lines = await section({ prod: { state: { entries }, config } }, "Rollouts", "What happened");
    assert.deepEqual(
      lines.filter((line) => /pulumi up|callers/.test(line)),
      [
        "Not all callers have what the file says: see prod.",
        'NumberAssignment "desk" has agent_front@14 at 10 %, beside agent_front@12: run pulumi up',
        '1 of 1 number of NumberAssignment "hotline" does not have this split yet: 3: run pulumi up',
      ],
    );
  });

  it("after a first run that failed everywhere says that nobody has the rollout, and when that run was", async () => {
    const config = { ...base, "agent-platform:rollouts": JSON.stringify({ front: { ...rollout, name: undefined } }) };
    const runs = [{ at: "2026-11-23T09:02:00Z", result: "failed" }];
    const lines = await section({ prod: { config, runs } }, "Needs attention: ", "What happened");
    assert.deepEqual(lines.slice(0, 5), [
      "prod: the last run failed at 2026-11-23 09:02 UTC.",
      "What to do: fix what its errors name, then run pulumi up --stack prod until it succeeds.",
      'If they say EOF or "transport is closing", first: npx pulumi-agent-platform help killed-run',
      "Rollouts",
      "No number has the rollout front in prod, which the file has.",
    ]);
  });

  it("says when a run deleted or replaced resources, whose numbers lost their agents, and nothing of that of a rename", async () => {
    const told = async (message: string, resourceChanges: Readonly<Record<string, number>>) => {
      const runs = [{ at: "2026-11-23T09:02:00Z", message, resourceChanges }];
      return (await section({ prod: { config: base, runs } }, "What happened", "Numbers")).slice(1);
    };
    assert.deepEqual(await told("smaller (#40)", { delete: 2, replace: 1, update: 1 }), [
      "2026-11-23 09:02 | prod | 2 resources deleted, 1 resource replaced | – | Ada | smaller (#40, 6007e12) | applied",
      "Numbers of a deleted or replaced resource lost their agents, unless another resource has them. Pulumi’s record counts the resources and does not name their numbers.",
    ]);
    assert.deepEqual(await told("rename", { delete: 1, create: 1 }), [
      "2026-11-23 09:02 | prod | 1 resource renamed, or deleted beside new ones | – | Ada | rename (6007e12) | applied",
    ]);
  });

  it("says what needs attention as doctor does, and how a number is that was not applied", async () => {
    const entries = [
      group("support", "1\tLondon\n2\n", {
        rollout,
        inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 },
        outboundAgentId: "agent_callback",
        outboundAgentVersion: 2,
        since: "2026-11-23T09:02:00Z",
        unapplied: [{ numbers: "2\n", reason: "rejected", applied: { inboundAgents: { "agent_front@12": 100 } } }],
      }),
    ];
    const stacks = { prod: { state: { entries }, config: base } };
    assert.deepEqual(await section(stacks, "Needs attention: ", "Rollouts"), [
      'AGP-044 prod: NumberGroup "support": not applied in an earlier run: 1 (2): the API rejected it.',
      "What to do: run pulumi up. It sends these numbers only. What each of them may have: npx pulumi-agent-platform show <number>",
    ]);
    const numbers = await section(stacks, "Numbers");
    assert.deepEqual(numbers.slice(1), [
      "1 | London | prod | front: agent_front@12 90 %, agent_front@13 10 % | agent_callback@2 | 2026-11-23 09:02 18 minutes",
      "2 |  | prod | front: the API rejected it: wanted agent_front@12 90 %, agent_front@13 10 %, applied last: agent_front@12 100 % | agent_callback@2 | –",
    ]);
  });

  it("says of a run that was stopped what doctor says, and of its numbers that they are not certain", async () => {
    const saved = group("support", "1\n", { inboundAgents: { "agent_a@1": 100 } });
    const at = "2026-11-23T09:02:00Z";
    const stacks = {
      dev: { config: base, state: { entries: [saved], pending: [{ ...saved, operation: "updating" }] } },
      prod: { config: base, state: { entries: [saved], left: [{ ...saved, operation: "updating", at }] } },
    };
    const attention = await section(stacks, "Needs attention: ", "Rollouts");
    assert.deepEqual(
      attention.filter((line) => /killed-run|: (a run|the provider)/.test(line)).map((line) => line.slice(0, 60)),
      [
        'dev: NumberGroup "support" (1): a run was stopped while it was',
        "if it was reverted: first change triggers of each resource t",
        'prod: NumberGroup "support" (1): the provider\'s process ende',
        "if it was reverted: first change triggers of each resource t",
      ].map((line) => line.slice(0, 60)),
    );
    const doubt = "not certain, a run was stopped while it was updating this; saved: agent_a@1 100 %";
    assert.deepEqual((await section(stacks, "Numbers")).slice(1), [
      `1 |  | dev | ${doubt} | – | –`,
      `1 |  | prod | ${doubt} | – | –`,
    ]);
  });

  it("says that there is nothing, where there is nothing", async () => {
    const { lines } = readPage(await pageOf({ prod: { config: base } }));
    const said = ["Needs attention: nothing", "No number has a rollout.", "No recorded run has changed a rollout."];
    for (const line of [...said, "No stack has a number."]) {
      assert.ok(lines.includes(line), line);
    }
  });

  it("shows no secret", async () => {
    const urls = ["https://hooks.example/in?key=hush", secret("v1:abc")];
    const entries = urls.map((inboundWebhookUrl, id) => number(`desk-${id}`, `${id}`, { inboundWebhookUrl }));
    assert.doesNotMatch(await pageOf({ prod: { state: { entries }, config: base } }), /v1:|hush|hooks\.example/);
  });

  const evil = `"><img src=x onerror=alert(1)><script>alert(2)</script>\u202e&lt;`;
  const hostile: Stacks = {
    prod: {
      config: { ...base, "agent-platform:rollouts": "{" },
      state: {
        entries: [
          group(evil, `1\t${evil}\n`, {
            rollout: { ...rollout, name: evil, stable: evil },
            inboundAgents: { [evil]: 100 },
          }),
          number("b", `9${evil}`, { outboundAgentId: evil, unapplied: [{ numbers: `9${evil}\n`, reason: "unknown" }] }),
        ],
        pending: [{ kind: "NumberGroup", name: evil, operation: `updating${evil}`, outputs: { rollout } }],
      },
      runs: [
        {
          at: "2026-11-20T10:00:00Z",
          message: `${evil} (#4)`,
          who: evil,
          rollouts: { front: { stable: "agent_a@1" }, [evil]: { stable: evil, candidate: evil, percent: 1 } },
          environment: { "vcs.owner": evil },
        },
      ],
    },
  };
  it("keeps names with markup as text, and makes no request: its policy lets only its own style in, and links lead to commits alone", async () => {
    for (const stacks of [BOARD_STACKS, hostile]) {
      const page = await pageOf(stacks);
      const { tags, lines } = readPage(page);
      const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
      assert.doesNotMatch(style, /url\(|@import|</);
      const sha = `'sha256-${createHash("sha256").update(style).digest("base64")}'`;
      const policy = tags.find(({ attributes }) => attributes["http-equiv"] === "Content-Security-Policy");
      assert.equal(
        policy?.attributes.content,
        `default-src 'none'; style-src ${sha}; base-uri 'none'; form-action 'none'`,
      );
      const named = tags.flatMap(({ name, attributes }) => [name, ...Object.keys(attributes)]);
      assert.deepEqual(
        named.filter((name) => /^(img|script|on.*|src.*)$/.test(name)),
        [],
      );
      for (const { href } of tags.map(({ attributes }) => attributes).filter(({ href }) => href !== undefined)) {
        assert.match(
          href ?? "",
          /^(#(attention|rollouts|history|numbers)|https:\/\/github\.com\/acme\/phones\/(commit|pull)\/\w+)$/,
        );
      }
      const shown = lines.filter((line) => line.includes(evil.replace("\u202e", "\\u{202e}")));
      assert.ok(stacks !== hostile || shown.length >= 5, lines.join("\n"));
    }
  });

  it("is the picture of the documentation", async () => {
    holdPicture(
      "docs/pictures/board.svg",
      boardPicture(await pageOf(BOARD_STACKS), "A page of board, with three stacks"),
    );
  });

  it("writes the file, of every stack that is named", () =>
    withRecorded({ dev: { yaml: "", config: base }, prod: { yaml: "", config: base }, other: {} }, async (world) => {
      const argv = ["--stack", "dev", "--stack", "prod", "--output", "board.html"];
      const ran = await runWith(boardCommand.run, argv, world);
      assert.deepEqual(ran, { code: 0, stdout: "Written to board.html.\n", stderr: "" });
      const { lines } = readPage(readFileSync(join(world.cwd, "board.html"), "utf8"));
      assert.match(lines.join("\n"), /^2 stacks, 0 numbers, /m);
    }));
});

// --- a page, read as strictly as XML: every tag, attribute and text, and each tag is closed in its order

interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const decoded = (text: string): string => text.replace(/&(\w+|#39);/g, (all, name: string) => ENTITIES[name] ?? all);
const attributesIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/ ([a-z-]+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, decoded(value)]),
  );

const PIECES = /<(style|script)>[\s\S]*?<\/\1>|<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<]*")*)(\/?)>|[^<]+|</g;

/** What a closed element leaves between texts: cells are told apart, and a block ends a line. */
const BETWEEN: Readonly<Record<string, string>> = {
  ...Object.fromEntries(["span", "strong", "code", "a", "time", "label"].map((name) => [name, ""])),
  ...{ th: " | ", td: " | " },
};

function readPage(page: string) {
  const tags: Tag[] = [];
  const open: string[] = [];
  let text = "";
  for (const [piece, raw, closing, name, attributes = "", empty] of page
    .slice("<!doctype html>".length)
    .matchAll(PIECES)) {
    assert.notEqual(piece, "<", "a < that begins no tag");
    if (raw !== undefined) {
      tags.push({ name: raw, attributes: {} });
    } else if (name === undefined) {
      text += decoded(piece);
    } else if (closing === "/") {
      assert.equal(open.pop(), name, `</${name}> closes another tag`);
      text += BETWEEN[name] ?? "\n";
    } else {
      tags.push({ name, attributes: attributesIn(attributes) });
      open.push(...(empty === "/" ? [] : [name]));
      text += name === "br" ? "\n" : "";
    }
  }
  assert.deepEqual(open, []);
  const lines = text.split("\n").map((line) => line.trim().replace(/ \|$/, ""));
  return { tags, lines: lines.filter((line) => line !== "") };
}
