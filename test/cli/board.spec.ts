import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { boardCommand } from "../../cli/commands/board";
import { NOT_UNASSIGNED } from "../../cli/state/numbers";
import { assertNames, namedIn } from "../support/named";
import { BOARDS, base, inConfig, printBoard, rollout, type Stacks } from "./boardCases";
import { linesOf, readPage, within } from "./boardPage";
import { group, number, secret, withRecorded } from "./recorded";
import { runWith } from "./terminal";

async function pageOf(stacks: Stacks): Promise<string> {
  const { code, stdout, stderr } = await printBoard(stacks);
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout;
}

/** Returns the lines of text in a section of the board, without the section's heading. */
async function section(stacks: Stacks, heading: string): Promise<string[]> {
  const { lines } = readPage(await pageOf(stacks));
  const headings = ["Needs attention: ", "Rollouts", "Numbers"];
  const isHeading = (line: string) => headings.some((prefix) => line.startsWith(prefix));
  const start = lines.findLastIndex((line) => line.startsWith(heading)) + 1;
  const rest = lines.slice(start);
  const end = rest.findIndex(isHeading);
  return end < 0 ? rest : rest.slice(0, end);
}

/** The facts in a row of the board's Rollouts section. The full wording is in test/words/testdata/commands.txt. */
interface RolloutRow {
  /** The rollout's name and stack, and how many numbers use it. */
  readonly heading: readonly string[];
  /** The split in the config. */
  readonly split: string | undefined;
  readonly isApplied: boolean;
  /** The names and values in each red line, as extracted by `namedIn`. */
  readonly problems?: readonly string[];
  readonly commands?: readonly string[];
  readonly since?: readonly string[];
}

async function rolloutsOn(stacks: Stacks): Promise<RolloutRow[]> {
  const { root } = readPage(await pageOf(stacks));
  const section = within(root, "section").find(({ attributes }) => attributes["aria-labelledby"] === "rollouts");
  return within(section ?? assert.fail("the page has no Rollouts section"), "row").map((row) => {
    const problems = within(row, "bad").flatMap(linesOf).map(namedIn);
    const commands = within(row, "code")
      .flatMap(linesOf)
      .filter((text) => text.includes(" "));
    const since = within(row, "time").flatMap(({ attributes }) => attributes.datetime ?? []);
    return {
      heading: within(row, "div").slice(0, 1).flatMap(linesOf),
      split: within(row, "bar")[0]?.attributes["aria-label"],
      isApplied: within(row, "good").length > 0,
      ...(problems.length > 0 && { problems }),
      ...(commands.length > 0 && { commands }),
      ...(since.length > 0 && { since }),
    };
  });
}

describe("the board", () => {
  it("shows whether a rollout has been applied to all its numbers", async () => {
    const stacks = BOARDS["a rollout that is applied, and one that numbers lack"];
    assert.deepEqual(await rolloutsOn(stacks), [
      {
        heading: ["front dev", "1 number"],
        split: "agent_front@13 100%",
        isApplied: true,
        commands: ["npx pulumi-agent-platform abort front --stack dev --up"],
        since: ["2026-11-23T09:02:00.000Z"],
      },
      {
        heading: ["front prod", "3 numbers"],
        split: "agent_front@12 90%, agent_front@13 10%",
        isApplied: false,
        problems: ['NumberAssignment "desk" 90% agent_front@12 10% agent_front@14', 'NumberAssignment "hotline"'],
        commands: [
          "pulumi up --stack acme/phones/prod",
          "npx pulumi-agent-platform abort front --stack acme/phones/prod --up",
        ],
      },
    ]);
  });

  const appliedRow: RolloutRow = { heading: ["front prod", "1 number"], split: "agent_front@12 100%", isApplied: true };
  const rows: readonly { readonly title: string; readonly name: keyof typeof BOARDS; readonly shown: RolloutRow }[] = [
    {
      title: "shows which candidate was aborted and at what percentage",
      name: "an abort",
      shown: { ...appliedRow, problems: ["agent_front@13 50%"] },
    },
    {
      title: "shows the stable agent at 100% if a rollout has no candidate",
      name: "a rollout without a candidate",
      shown: appliedRow,
    },
    {
      title: "recommends `pulumi up` if no number uses a rollout",
      name: "a rollout that no number uses",
      shown: {
        ...appliedRow,
        heading: ["front prod", "0 numbers"],
        isApplied: false,
        problems: ['"front"'],
        commands: ["pulumi up --stack prod"],
      },
    },
    // `abort` would fail, because it looks for the rollout in the config.
    {
      title: "does not recommend aborting a rollout that was removed from the config",
      name: "a rollout that was removed from the config",
      shown: {
        ...appliedRow,
        split: "agent_front@12 90%, agent_front@13 10%",
        since: ["2026-11-23T09:02:00.000Z"],
      },
    },
  ];
  for (const { title, name, shown } of rows) {
    it(title, async () => assert.deepEqual(await rolloutsOn(BOARDS[name]), [shown]));
  }

  it("recommends the next command if an abort has not been applied", async () => {
    const abort = "npx pulumi-agent-platform abort front --stack prod --up";
    for (const [name, command] of [
      ["an abort that a number lacks", abort],
      ["an abort that a number lacks, on a frozen stack", `AGENT_PLATFORM_BYPASS="<reason>" ${abort}`],
      [
        "an abort that a number lacks, beside a chat that may have been started",
        "npx pulumi-agent-platform doctor --stack prod",
      ],
    ] as const) {
      assert.deepEqual((await rolloutsOn(BOARDS[name]))[0]?.commands, [command], name);
    }
  });

  it("shows the current and wanted splits if a number was not updated", async () => {
    const stacks = BOARDS["a number that lacks its split"];
    const [finding, remedy] = await section(stacks, "Needs attention: 1");
    assert.match(finding ?? "", /^AGP-044 prod: NumberGroup "support": .*2/);
    assert.match(remedy ?? "", /\bpulumi up --stack prod\b/);
    const shown = await section(stacks, "Numbers");
    assert.equal(namedIn(shown.at(-1) ?? ""), "18 2026-11-23 09:02");
    assert.deepEqual(shown.slice(0, -1), [
      ...["2", 'NumberGroup "support", prod'],
      ...["Callers have", "agent_front@12 100%", "Wanted", "agent_front@12 90% agent_front@13 10%"],
      ...["rollout front", "outbound agent_callback@2"],
      ...["1 London", 'NumberGroup "support", prod', "agent_front@12 90% agent_front@13 10%"],
      ...["rollout front", "outbound agent_callback@2"],
    ]);
  });

  it("draws each agent's bar in proportion to its percentage", async () => {
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
    const fullBars = tags.filter(({ attributes }) => attributes.x === "0%" && attributes.width === "100%");
    assert.deepEqual(
      fullBars.map(({ attributes }) => attributes.class),
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

  it("shows both splits a number may have after an interrupted run", async () => {
    const stacks = BOARDS["a number after an interrupted run"];
    assertNames((await section(stacks, "Needs attention: 1"))[0] ?? "", 'NumberGroup "support" 1');
    assert.deepEqual((await section(stacks, "Numbers")).slice(2), [
      ...["Callers may have", "agent_a@1 100%", "or", "agent_b@2 100%"],
      ...["Wanted", "agent_b@2 100%"],
    ]);
  });

  it("says that a replaced resource's number has not been unassigned", async () => {
    const rows = await section(BOARDS["a number that could not be deleted"], "Numbers");
    assert.deepEqual(rows.slice(0, 4), ["1", 'NumberGroup "g", dev', "agent_a@1 100%", NOT_UNASSIGNED]);
  });

  it("says so if a stack has no findings, rollouts or numbers", async () => {
    const stacks = BOARDS.nothing;
    assert.deepEqual(await section(stacks, "Needs attention: nothing"), []);
    assert.deepEqual([await section(stacks, "Rollouts"), await section(stacks, "Numbers")], [["None."], ["None."]]);
  });

  it("does not show plain or encrypted webhook URLs", async () => {
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
    const names = tags.flatMap(({ name, attributes }) => [name, ...Object.keys(attributes)]);
    assert.deepEqual(
      names.filter((name) => /^(img|script|on.*|src.*)$/.test(name)),
      [],
    );
    assert.deepEqual(
      tags.flatMap(({ attributes: { href } }) => href ?? []),
      ["#attention", "#rollouts", "#numbers"],
    );
  });

  it("writes a single page for several stacks", () =>
    withRecorded({ dev: { yaml: "", config: base }, prod: { yaml: "", config: base }, other: {} }, async (world) => {
      const argv = ["--stack", "dev", "--stack", "prod", "--output", "board.html"];
      const printed = await runWith(boardCommand.run, argv, world);
      assert.deepEqual(printed, { code: 0, stdout: "Written to board.html.\n", stderr: "" });
      const { lines } = readPage(readFileSync(join(world.cwd, "board.html"), "utf8"));
      assert.match(lines.join("\n"), /^2 stacks, 0 numbers, /m);
    }));
});
