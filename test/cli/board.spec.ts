import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { boardCommand } from "../../cli/commands/board";
import { group, number, type RecordedStack, secret, withRecorded } from "./recorded";
import { runWith } from "./terminal";

type Stacks = Readonly<Record<string, RecordedStack>>;

async function pageOf(stacks: Stacks): Promise<string> {
  const names = Object.keys(stacks).flatMap((name) => ["--stack", name]);
  const { code, stdout, stderr } = await withRecorded(stacks, (world) => runWith(boardCommand.run, names, world));
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout;
}

/** A section's lines of text, without the heading. */
async function section(stacks: Stacks, heading: string): Promise<string[]> {
  const { lines } = readPage(await pageOf(stacks));
  const headings = ["Needs attention: ", "Rollouts", "Numbers"];
  const isHeading = (line: string) => headings.some((one) => line.startsWith(one));
  const start = lines.findLastIndex((line) => line.startsWith(heading)) + 1;
  const rest = lines.slice(start);
  const end = rest.findIndex(isHeading);
  return end < 0 ? rest : rest.slice(0, end);
}

const front = { stable: "agent_front@12", candidate: "agent_front@13", percent: 10 };
const rollout = { name: "front", ...front };
const inConfig = (value: unknown) => ({
  "agent-platform:baseUrl": "https://platform.example",
  "agent-platform:rollouts": JSON.stringify({ front: value }),
});
const base = { "agent-platform:baseUrl": "https://platform.example" };
const since = "2026-11-23T09:02:00Z";

describe("the board", () => {
  it("shows whether each rollout has been applied to all of its numbers", async () => {
    const stacks = {
      dev: {
        config: inConfig({ ...front, percent: 100 }),
        state: { entries: [group("support", "1\n", { rollout: { ...rollout, percent: 100 }, since })] },
      },
      // Commands use the fully qualified stack name, as it was given.
      "acme/phones/prod": {
        config: inConfig(front),
        state: {
          entries: [
            group("support", "1\n", { rollout, since }),
            number("desk", "2", { rollout: { ...rollout, candidate: "agent_front@14" }, since }),
            number("hotline", "3", { rollout, unapplied: [{ numbers: "3\n", reason: "rejected" }] }),
          ],
        },
      },
    };
    assert.deepEqual(await section(stacks, "Rollouts"), [
      ...["front dev", "1 number", "agent_front@13 100%"],
      "To go back: npx pulumi-agent-platform abort front --stack dev --up",
      "Applied to every number for 18 minutes, since 2026-11-23 09:02 UTC",
      ...["front prod", "3 numbers", "agent_front@12 90% agent_front@13 10%"],
      'NumberAssignment "desk" still sends 90% of calls to agent_front@12 and 10% to agent_front@14.',
      'NumberAssignment "hotline" has never received a split.',
      "Run pulumi up --stack acme/phones/prod.",
      "To go back: npx pulumi-agent-platform abort front --stack acme/phones/prod --up",
    ]);
  });

  const aborted = { agent: "agent_front@13", percent: 50, at: "2026-11-20T00:00:00Z" };
  const rows: { name: string; config: unknown; saved?: unknown; shown: string[] }[] = [
    {
      name: "an abort",
      config: { stable: "agent_front@12", aborted },
      saved: { name: "front", stable: "agent_front@12", aborted },
      shown: ["1 number", "agent_front@12 100%", "agent_front@13 was aborted at 50%.", "Applied to every number"],
    },
    {
      name: "a rollout without a candidate",
      config: { stable: "agent_front@12" },
      saved: { name: "front", stable: "agent_front@12" },
      shown: ["1 number", "agent_front@12 100%", "Applied to every number"],
    },
    {
      name: "a rollout that no number has",
      config: { stable: "agent_front@12" },
      shown: [
        "0 numbers",
        "agent_front@12 100%",
        'no resource of stack prod uses the rollout "front".',
        "Run pulumi up --stack prod.",
      ],
    },
  ];
  for (const { name, config, saved, shown } of rows) {
    it(`shows ${name}`, async () => {
      const entries = saved === undefined ? [] : [group("support", "1\n", { rollout: saved })];
      const found = await section({ prod: { state: { entries }, config: inConfig(config) } }, "Rollouts");
      assert.deepEqual(found, ["front prod", ...shown]);
    });
  }

  it("prints the command that applies an abort to the numbers still missing it, and suggests doctor if a chat may have been started", async () => {
    const entries = [group("support", "1\n", { rollout })];
    const config = inConfig({ ...front, percent: 0, aborted });
    const chat = { kind: "SmsChat", name: "hello", id: "", outputs: {}, operation: "creating" } as const;
    const abort = "npx pulumi-agent-platform abort front --stack prod --up";
    for (const { given, last } of [
      { given: { state: { entries }, config }, last: `Run ${abort}.` },
      {
        given: { state: { entries }, config: { ...config, "agent-platform:freeze": "incident 4711" } },
        last: `Because the stack is frozen (incident 4711), you must give a reason to apply it: AGENT_PLATFORM_BYPASS="<reason>" ${abort}`,
      },
      {
        given: { state: { entries, pending: [chat] }, config },
        last: "Run npx pulumi-agent-platform doctor --stack prod first.",
      },
    ]) {
      assert.equal((await section({ prod: given }, "Rollouts")).at(-1), last);
    }
  });

  it("omits the abort command for a rollout that is no longer in the config", async () => {
    const entries = [group("support", "1\n", { rollout, since })];
    assert.deepEqual(await section({ prod: { state: { entries }, config: base } }, "Rollouts"), [
      ...["front prod", "1 number", "agent_front@12 90% agent_front@13 10%"],
      "Applied to every number for 18 minutes, since 2026-11-23 09:02 UTC",
    ]);
  });

  it("lists doctor's findings and the numbers that lack their configured split", async () => {
    const entries = [
      group("support", "1\tLondon\n2\n", {
        rollout,
        inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 },
        outboundAgentId: "agent_callback",
        outboundAgentVersion: 2,
        since,
        unapplied: [{ numbers: "2\n", reason: "rejected", applied: { inboundAgents: { "agent_front@12": 100 } } }],
      }),
    ];
    const stacks = { prod: { state: { entries }, config: base } };
    const [what, todo] = await section(stacks, "Needs attention: 1");
    assert.match(what ?? "", /^AGP-044 prod: NumberGroup "support": .*2/);
    assert.match(todo ?? "", /^What to do: Run pulumi up --stack prod\b/);
    assert.deepEqual(await section(stacks, "Numbers"), [
      ...["2", 'NumberGroup "support", prod'],
      ...["Callers have", "agent_front@12 100%", "Wanted", "agent_front@12 90% agent_front@13 10%"],
      ...["rollout front", "outbound agent_callback@2"],
      ...["1 London", 'NumberGroup "support", prod', "agent_front@12 90% agent_front@13 10%"],
      ...["rollout front", "outbound agent_callback@2", "for 18 minutes, since 2026-11-23 09:02 UTC"],
    ]);
  });

  it("draws each part of a split in its agent's colour, as wide as its percentage", async () => {
    const entries = [
      number("a", "1", { inboundAgents: { "agent_a@1": 1, "agent_b@2": 2, agent_c: 1 } }),
      number("b", "2", { inboundAgents: { "agent_b@2": 5 } }),
    ];
    const { tags } = readPage(await pageOf({ prod: { state: { entries }, config: base } }));
    const bars = tags.filter(({ name, attributes }) => name === "rect" && attributes.width !== "100%");
    assert.deepEqual(
      bars.map(({ attributes }) => [attributes.class, attributes.x, attributes.width]),
      [
        ["agent-0", "0%", "25%"],
        ["agent-1", "25%", "50%"],
        ["agent-2", "75%", "25%"],
      ],
    );
    const whole = tags.filter(({ attributes }) => attributes.x === "0%" && attributes.width === "100%");
    assert.deepEqual(
      whole.map(({ attributes }) => attributes.class),
      ["agent-1"],
    );
  });

  it("groups a resource's numbers with the same split into one expandable row", async () => {
    const lines = Array.from({ length: 60 }, (_, index) => `+44207946${String(1000 + index)}\tDesk ${index}\n`).join(
      "",
    );
    const stacks = { prod: { state: { entries: [group("desks", lines), number("night", "4001")] }, config: base } };
    const { tags } = readPage(await pageOf(stacks));
    const rows = tags.filter(({ attributes }) => /(^| )row( |$)/.test(attributes.class ?? ""));
    assert.deepEqual(
      rows.map(({ name }) => name),
      ["details", "div"],
    );
    const shown = await section(stacks, "Numbers");
    assert.equal(shown[0], "60 numbers");
    assert.equal(shown.filter((line) => /^\+44207946\d{4} Desk \d+$/.test(line)).length, 60);
  });

  it("shows every split that a number may have after an interrupted run", async () => {
    const saved = group("support", "1\n", { inboundAgents: { "agent_a@1": 100 } });
    const pending = [{ ...group("support", "1\n", { inboundAgents: { "agent_b@2": 100 } }), operation: "updating" }];
    const stacks = { dev: { config: base, state: { entries: [saved], pending } } };
    assert.match((await section(stacks, "Needs attention: 1"))[0] ?? "", /"support" \(1\): a run was stopped/);
    assert.deepEqual((await section(stacks, "Numbers")).slice(2), [
      ...["Callers may have", "agent_a@1 100%", "or", "agent_b@2 100%"],
      ...["Wanted", "agent_b@2 100%"],
    ]);
  });

  it("shows a number that could not be deleted", async () => {
    const entries = [number("a", "2"), group("g", "1\n", { inboundAgents: { "agent_a@1": 100 } }, { delete: true })];
    const rows = await section({ dev: { config: base, state: { entries } } }, "Numbers");
    assert.deepEqual(rows.slice(0, 4), [
      ...["1", 'NumberGroup "g", dev', "agent_a@1 100%"],
      "no longer declared, and not unassigned yet",
    ]);
  });

  it("says so if there are no findings, rollouts or numbers", async () => {
    const stacks = { prod: { config: base } };
    assert.deepEqual(await section(stacks, "Needs attention: nothing"), []);
    assert.deepEqual([await section(stacks, "Rollouts"), await section(stacks, "Numbers")], [["None."], ["None."]]);
  });

  it("does not show any secrets", async () => {
    const urls = ["https://hooks.example/in?key=hush", secret("v1:abc")];
    const entries = urls.map((inboundWebhookUrl, id) => number(`desk-${id}`, `${id}`, { inboundWebhookUrl }));
    assert.doesNotMatch(await pageOf({ prod: { state: { entries }, config: base } }), /v1:|hush|hooks\.example/);
  });

  it("escapes HTML in names and sets a strict content security policy", async () => {
    const evil = `"><img src=x onerror=alert(1)><script>alert(2)</script>\u202e&lt;`;
    const entries = [
      group(evil, `1\t${evil}\n`, { rollout: { name: evil, stable: evil }, inboundAgents: { [evil]: 100 } }),
      number("b", `9${evil}`, { outboundAgentId: evil, unapplied: [{ numbers: `9${evil}\n`, reason: "unknown" }] }),
    ];
    const pending = [{ kind: "NumberGroup", name: evil, operation: `updating${evil}`, outputs: { rollout } }] as const;
    const page = await pageOf({ prod: { config: inConfig("{"), state: { entries, pending } } });
    const { tags, lines } = readPage(page);
    const shown = lines.filter((line) => line.includes(evil.replace("\u202e", "\\u{202e}")));
    assert.ok(shown.length >= 4, lines.join("\n"));

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
    assert.deepEqual(
      tags.flatMap(({ attributes: { href } }) => href ?? []),
      ["#attention", "#rollouts", "#numbers"],
    );
  });

  it("writes a single page for all the given stacks", () =>
    withRecorded({ dev: { yaml: "", config: base }, prod: { yaml: "", config: base }, other: {} }, async (world) => {
      const argv = ["--stack", "dev", "--stack", "prod", "--output", "board.html"];
      const ran = await runWith(boardCommand.run, argv, world);
      assert.deepEqual(ran, { code: 0, stdout: "Written to board.html.\n", stderr: "" });
      const { lines } = readPage(readFileSync(join(world.cwd, "board.html"), "utf8"));
      assert.match(lines.join("\n"), /^2 stacks, 0 numbers, /m);
    }));
});

// --- parses the page as strictly as XML: every tag must be closed in order

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

/** The text that a closing tag leaves behind: block elements end a line. */
const BETWEEN: Readonly<Record<string, string>> = {
  ...Object.fromEntries(["span", "strong", "code", "a", "time", "svg", "rect"].map((name) => [name, ""])),
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
  const lines = text.split("\n").map((line) => line.trim());
  return { tags, lines: lines.filter((line) => line !== "") };
}
