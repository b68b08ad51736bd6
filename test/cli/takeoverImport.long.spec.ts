import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { takeoverCommand } from "../../cli/commands/takeover";
import { startEmulator } from "../../emulator";
import { withStack } from "../support/engine";
import { projectFolder, transpileOnly } from "./projectFolder";
import { AWKWARD, FILE } from "./tables";
import { runWith } from "./terminal";

const PAIRS = 30;
const numberOf = (index: number) => `+1555${String(1_230_000 + index)}`;

/** A hundred numbers: groups of two, a group of 38, two with their own routings. */
const HUNDRED = [
  "number,label,agents,outbound,webhook,time routing",
  ...Array.from({ length: 2 * PAIRS }, (_, index) => `${numberOf(index)},-,agent_${index >> 1}@1:100,-,-,-`),
  ...Array.from(
    { length: 38 },
    (_, index) => `${numberOf(100 + index)},"Desk, ${index}",agent_front@12:90 agent_front@13:10,agent_out@2,-,on`,
  ),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the table has it
  '4001,"a""; throw 1; // ${x} ` \\ $$y",agent_desk:100,-,https://hooks.example.com/in?key=${b}&c=$$d$e,off',
  "4002,-,-,-,-,-",
].join("\n");

/** The last two rows have one routing. */
const RESOURCES = AWKWARD.split("\n").length - 2;

const IMPORT = [
  "import",
  "--file",
  "import.json",
  "--generate-code=false",
  "--protect=false",
  "--yes",
  "--skip-preview",
];

describe("agent-platform takeover --import", () => {
  const folder = projectFolder();
  const takeover = (...argv: string[]) => runWith(takeoverCommand.run, argv, { cwd: folder.path });

  it("records 100 numbers without a request, which the next up keeps", async () => {
    const platform = await startEmulator();
    writeFileSync(join(folder.path, "numbers.csv"), HUNDRED);
    const written = await takeover("numbers.csv", ".", "--import", "--base-url", platform.url);
    assert.deepEqual([written.code, written.stderr], [0, ""]);
    assert.match(written.stdout, /pulumi import --file import\.json --generate-code=false --protect=false/);

    const env = { AGENT_PLATFORM_ACCESS_TOKEN: platform.token, ...transpileOnly };
    await withStack({ existing: folder.path, env }, async (stack) => {
      const run = (...args: string[]) => stack.run([...args, "--stack", "dev"]);
      const imported = await run(...IMPORT);
      assert.doesNotMatch(imported.stdout, /AGP-|warning/);
      assert.equal(stack.resources().length, PAIRS + 3);
      // A soak time counts from the import. A number without agents has no split to count for.
      const dated = stack
        .resources()
        .filter(({ outputs }) => outputs?.since === JSON.parse(folder.read("import.json")).resources[0].outputs.since);
      assert.equal(dated.length, PAIRS + 2);
      assert.match((await run("up", "--yes", "--skip-preview")).stdout, new RegExp(`\\n {4}${PAIRS + 4} unchanged\\n`));
      assert.deepEqual(platform.requests, []);

      // From here on the numbers are managed: a change sends what changed, and the guard judges it from what was recorded.
      const changed = folder
        .read("numbers.ts")
        .replace(/("agent_front@12": )90/, "$180")
        .replace(/("agent_front@13": )10/, "$120");
      writeFileSync(join(folder.path, "numbers.ts"), changed);
      await run("up", "--yes", "--skip-preview");
      assert.equal(platform.requests.length, 38);
    }).finally(() => platform.close());
  });
});

describe("agent-platform takeover", () => {
  const folder = projectFolder();
  const takeover = (...argv: string[]) => runWith(takeoverCommand.run, argv, { cwd: folder.path });
  const write = (table: string) => writeFileSync(join(folder.path, "numbers.csv"), table);

  it("writes a new project whose first up sends what the table says", async () => {
    const platform = await startEmulator();
    write(FILE);
    const written = await takeover("numbers.csv", ".", "--base-url", platform.url);
    assert.deepEqual([written.code, written.stderr], [0, ""]);
    assert.ok(written.stdout.startsWith("4 numbers in 3 resources, of which 1 group with the same routing.\n"));

    const env = { AGENT_PLATFORM_ACCESS_TOKEN: platform.token, ...transpileOnly };
    await withStack({ existing: folder.path, env }, async (stack) => {
      // With the settings that were written, not with those of the test.
      await stack.run(["up", "--stack", "dev", "--yes", "--skip-preview"]);
      assert.equal(platform.requests.length, 4);

      // The config value that sends every routing again.
      await stack.run(["config", "set", "reassert", "1", "--stack", "dev"]);
      await stack.run(["up", "--stack", "dev", "--yes", "--skip-preview"]);
      assert.equal(platform.requests.length, 8);
    }).finally(() => platform.close());

    const routings = [...platform.numbers.values()].map(({ accountSid: _, workspaceId: __, ...routing }) => routing);
    const front = {
      inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 },
      outboundAgentId: "agent_front",
      outboundAgentVersion: 12,
      inboundWebhookUrl: "https://hooks.example.com/in?a|b",
      isTimeRoutingEnabled: true,
    };
    assert.deepEqual(
      routings.sort((a, b) => (a.number < b.number ? -1 : 1)),
      [
        { number: "+442079460100", ...front },
        { number: "+442079460101", ...front },
        {
          number: "4001",
          inboundAgents: { "agent_desk@3": 100 },
          outboundAgentId: "agent_out",
          outboundAgentVersion: 9,
          isTimeRoutingEnabled: false,
        },
        { number: "4002", inboundAgents: {} },
      ],
    );
  });

  it("writes a program that compiles and previews, whatever the table has", async () => {
    write(AWKWARD);
    assert.equal((await takeover("numbers.csv")).code, 0);
    await withStack({ existing: folder.path }, async (stack) => {
      const { stdout } = await stack.run(["preview", "--stack", "dev"]);
      assert.equal(stdout.match(/Number\w+ .* create/g)?.length, RESOURCES, stdout);
    });
  });
});
