import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { initCommand } from "../../cli/commands/init";
import { takeoverCommand } from "../../cli/commands/takeover";
import { type Emulator, startEmulator } from "../../emulator";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { type Stack, withStack } from "../support/engine";
import { projectFolder, transpileOnly } from "./projectFolder";
import { AWKWARD, FILE } from "./tables";
import { type Printed, runWith } from "./terminal";

const PAIRS = 30;
const numberOf = (index: number) => `+1555${String(1_230_000 + index)}`;

/**
 * A table of 100 numbers: 30 pairs in which both numbers have the same routing, 38 more numbers that share a routing,
 * and two numbers whose routings are unique.
 */
const HUNDRED = [
  "number,label,agents,outbound,webhook,time routing",
  ...Array.from({ length: 2 * PAIRS }, (_, index) => `${numberOf(index)},-,agent_${index >> 1}@1:100,-,-,-`),
  ...Array.from(
    { length: 38 },
    (_, index) => `${numberOf(100 + index)},"Desk, ${index}",agent_front@12:90 agent_front@13:10,agent_out@2,-,on`,
  ),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the label must contain a template placeholder
  '4001,"a""; throw 1; // ${x} ` \\ $$y",agent_desk:100,-,https://hooks.example.com/in?key=${b}&c=$$d$e,off',
  "4002,-,-,-,-,-",
].join("\n");

/** The number of resources for AWKWARD: one for each row, except that the last two rows form a group. */
const RESOURCES = AWKWARD.split("\n").length - 2;

/** The `pulumi import` command that takeover prints, with two more options that skip the confirmation. */
const IMPORT = ["import", "--file", "import.json", "--generate-code=false", "--yes", "--skip-preview"];
const UP = ["up", "--yes", "--skip-preview"];

interface Project extends Pick<Stack, "run" | "resources"> {
  readonly platform: Emulator;
  /** Like `run`, but doesn't add `--stack dev`. */
  readonly pulumi: Stack["run"];
  /** Unsets the guards that refuse unapproved agents and agents without a version. The tables contain such agents. */
  withoutGuards(): Promise<void>;
  takeover(...argv: readonly string[]): Promise<Printed>;
  /** Replaces the project's program, index.ts. */
  write(program: string): void;
}

describe("agent-platform takeover with the Pulumi engine", () => {
  const folder = projectFolder();
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);

  /**
   * Runs a test with the real engine in a project that `init` created. The project contains the table as numbers.csv.
   */
  async function withProject(table: string, test: (project: Project) => Promise<void>): Promise<void> {
    const platform = await startEmulator();
    const init = await runWith(initCommand.run, ["--base-url", platform.url, "--pipelines", "none"], {
      cwd: folder.path,
    });
    assert.equal(init.code, 0, init.stderr);
    write("numbers.csv", table);
    const extraEnv = { AGENT_PLATFORM_ACCESS_TOKEN: platform.token, ...transpileOnly };
    await withStack({ existing: folder.path, env: extraEnv }, async (stack) => {
      const { directory } = await findOrInstallEngine();
      const searchPath = [directory, process.env.PATH].join(delimiter);
      const env = { ...stack.project.env, ...extraEnv, HOME: process.env.HOME, PATH: searchPath };
      const run: Stack["run"] = (args, options) => stack.run([...args, "--stack", "dev"], options);
      await test({
        run,
        resources: stack.resources,
        platform,
        pulumi: stack.run,
        withoutGuards: async () => {
          for (const guard of ["approvedAgents", "maxUnapproved", "requireVersions"]) {
            await run(["config", "rm", `agent-platform:${guard}`]);
          }
        },
        takeover: (...argv) =>
          runWith(takeoverCommand.run, ["numbers.csv", ...argv, "--stack", "dev"], { cwd: folder.path, env }),
        write: (program) => write("index.ts", program),
      });
    }).finally(() => platform.close());
  }

  it("imports 100 numbers without sending any requests", () =>
    withProject(HUNDRED, async ({ run, resources, platform, takeover, write }) => {
      assert.equal((await takeover("--import")).code, 0);
      const imported = await run(IMPORT);
      assert.doesNotMatch(imported.stdout, /AGP-|warning/);
      assert.equal(resources().length, PAIRS + 3);
      // A split's soak time starts at the import. A number without agents has no split and therefore no soak time.
      const { since } = JSON.parse(folder.read("import.json")).resources[0].outputs;
      assert.equal(resources().filter(({ outputs }) => outputs?.since === since).length, PAIRS + 2);

      write(`import "./numbers";`);
      assert.match((await run(["preview"])).stdout, new RegExp(`\\n {4}${PAIRS + 4} unchanged\\n`));
      await run(UP);
      assert.deepEqual(platform.requests, []);
      assert.deepEqual(
        resources().filter(({ protect }) => protect),
        [],
        "resources that are still protected after the first up",
      );

      // Pulumi now manages the numbers. The provider compares each new split with the imported one, and sends
      // requests only for the numbers whose split has changed.
      const changed = folder
        .read("numbers.ts")
        .replace(/("agent_front@12": )90/, "$180")
        .replace(/("agent_front@13": )10/, "$120");
      writeFileSync(join(folder.path, "numbers.ts"), changed);
      await run(UP);
      assert.equal(platform.requests.length, 38);
    }));

  for (const { name, program } of [
    { name: "is empty", program: "" },
    { name: "is still the example from init", program: undefined },
  ]) {
    it(`refuses to delete imported numbers if the program ${name}`, () =>
      withProject(FILE, async ({ run, resources, platform, takeover, write }) => {
        await takeover("--import");
        await run(IMPORT);
        const importedCount = resources().length;
        if (program !== undefined) {
          write(program);
        }
        for (const options of [[], ["--skip-preview"]]) {
          const { output } = await run(["up", "--yes", ...options], { expectFailure: true });
          assert.match(output, /protect/);
        }
        const tableRequests = platform.requests.filter(({ path }) => !path.includes("%2B1555123"));
        assert.deepEqual(tableRequests, [], "no requests for numbers in the table");
        assert.ok(resources().length >= importedCount, "all imported resources are still in the state");
      }));
  }

  it("writes a program that deploys the routing from the table", () =>
    withProject(FILE, async ({ run, platform, takeover, write, withoutGuards }) => {
      const written = await takeover();
      assert.match(written.stdout, /AGP-023/);
      write(`import "./numbers";`);
      // The guards refuse the agents that takeover warned about.
      const { output } = await run(["preview"], { expectFailure: true });
      assert.match(output, /AGP-023/);
      assert.deepEqual(platform.requests, []);
      await withoutGuards();
      await run(UP);
      assert.equal(platform.requests.length, 4);

      // Setting a new value for `reassert` makes the provider send every routing again.
      await run(["config", "set", "reassert", "1"]);
      await run(UP);
      assert.equal(platform.requests.length, 8);

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
    }));

  it("prints code that declares the numbers only in the given stack", () =>
    withProject(FILE, async ({ run, pulumi, takeover, write, withoutGuards }) => {
      await withoutGuards();
      write("");
      writeFileSync(join(folder.path, "Pulumi.prod.yaml"), folder.read("Pulumi.dev.yaml"));
      const { stdout } = await takeover();
      const [, lines = ""] = /:\n\n( {2}import .*?)\n\nNext:/s.exec(stdout) ?? assert.fail(stdout);
      write(lines);
      assert.equal((await run(["preview"])).stdout.match(/Number\w+ .* create/g)?.length, 3);
      await pulumi(["stack", "init", "prod"]);
      assert.doesNotMatch((await pulumi(["preview", "--stack", "prod"])).stdout, /Number/);
    }));

  it("writes a program that compiles even if labels need escaping", () =>
    withProject(AWKWARD, async ({ run, takeover, write, withoutGuards }) => {
      await takeover();
      write(`import "./numbers";`);
      await withoutGuards();
      const { stdout } = await run(["preview"], { env: { PULUMI_NODEJS_TRANSPILE_ONLY: "" } });
      assert.equal(stdout.match(/Number\w+ .* create/g)?.length, RESOURCES, stdout);
    }));
});
