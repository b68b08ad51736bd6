import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../cli/main";
import { version } from "../../package.json";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { projectFolder, transpileOnly } from "../cli/projectFolder";
import { runWith } from "../cli/terminal";
import { environment, type StackState } from "../support/engine";
import { byTarget, type PlatformStack, withPlatformStack } from "../support/platformStack";
import { isRecording, keep, kept, keptFile, releasesWith } from "./releases";

/**
 * Stacks that a release left in the middle of something, with the files beside them: today's version sends what the release would have sent,
 * reads each file, and ends each command with the same exit code.
 */

const numbers = ["+15551230001", "+15551230002", "+15551230003"];
const PROGRAM = `
  const { NumberGroup, SmsChat } = require("pulumi-agent-platform");
  new NumberGroup("support", { numbers: ${JSON.stringify(numbers)}, rollout: "front" });
  new SmsChat("reminder", { agentId: "chat_agent_1", fromNumber: "+15551230001", toNumber: "+15551239999" });`;

const stackFile = (
  url: string,
  percent: number,
): string => `encryptionsalt: v1:AtYord5EoWc=:v1:EwqMCs30rHRc51ov:AejG1uYB2zrOJPxBgl9BQxXRUGliHQ==
config:
  # The team "voice" decides.
  agent-platform:baseUrl: ${url}
  agent-platform:workspaceId: 42
  agent-platform:steps: "[1, 10, 50, 100]"
  agent-platform:maxShift: 60
  agent-platform:rollouts:
    front:
      stable: agent_front@12
      candidate: agent_front@13
      percent: ${percent}
`;

/** Each is run in the folder of the program, the last one alone. `preview.json` is of the next step of the rollout. */
const ASKED = [
  "doctor --stack dev",
  "show +15551230002 --stack dev",
  "report preview.json",
  "report preview.json --fail-on unresolved,delete",
  "abort front --stack dev --dry-run",
  "history --stack dev",
  "board --stack dev --output board.html",
  "promote front --stack dev --dry-run",
  "promote front --stack dev",
];

interface Left {
  readonly state: StackState;
  readonly stackFile: string;
  readonly preview: object;
}

interface Answers {
  readonly exitCodes: Readonly<Record<string, number>>;
  /** What an `up` sends. */
  readonly sent: readonly (readonly [string, unknown])[];
}

interface Project extends PlatformStack {
  readonly put: (file: string, text: string) => void;
  readonly read: (file: string) => string;
  readonly pulumi: (...args: readonly string[]) => Promise<string>;
  readonly ours: (command: string) => Promise<number>;
}

describe("what a release left", () => {
  const folder = projectFolder();

  function inProject(work: (project: Project) => Promise<void>): Promise<void> {
    const put = (file: string, text: string) => writeFileSync(join(folder.path, file), text);
    put("Pulumi.yaml", "name: phones\nruntime: nodejs\n");
    put("package.json", '{ "main": "index.js" }');
    put("index.js", PROGRAM);
    return withPlatformStack({ existing: folder.path, env: transpileOnly }, async (both) => {
      const { directory } = await findOrInstallEngine();
      const env = environment(directory, both.stack.project, { AGENT_PLATFORM_ACCESS_TOKEN: both.platform.token });
      await work({
        ...both,
        put,
        read: (file) => readFileSync(join(folder.path, file), "utf8"),
        pulumi: async (...args) => (await both.stack.run([...args, "--stack", "dev"], { mayFail: true })).stdout,
        async ours(command) {
          const [name = "", ...argv] = command.split(" ");
          return (await runWith(COMMANDS[name]?.().run ?? assert.fail(name), argv, { cwd: folder.path, env })).code;
        },
      });
    });
  }

  const up = ["up", "--yes", "--skip-preview", "--continue-on-error"];

  /** How the stack comes to be what it is. */
  const Stacks: Readonly<Record<string, (project: Project) => Promise<unknown>>> = {
    "mid-step": async ({ platform, put, pulumi }) => {
      await pulumi(...up);
      platform.inject({ kind: "status", status: 422, number: numbers[1] as string, times: 100 });
      put("Pulumi.dev.yaml", stackFile(platform.url, 50));
      await pulumi(...up);
    },
    aborted: async ({ pulumi, ours }) => {
      await pulumi(...up);
      assert.equal(await ours("abort front --stack dev"), 0);
      await pulumi(...up);
    },
    unresolved: async ({ platform, pulumi }) => {
      platform.inject({ kind: "resetAfterRequest", applied: true, operation: "createSmsChat" });
      await pulumi(...up);
    },
  };

  /** As today's version finds it. */
  async function ask({ stack, platform, put, pulumi, ours, sent }: Project, left: Left): Promise<Answers> {
    put("Pulumi.dev.yaml", left.stackFile.replaceAll("<platform>", platform.url));
    put("preview.json", JSON.stringify(left.preview));
    stack.import(left.state);
    await pulumi(...up);
    const requests = byTarget(sent());
    stack.import(left.state);
    const answered = async (command: string) => [command, await ours(command)] as const;
    const codes = await Promise.all(ASKED.slice(0, -1).map(answered));
    return {
      exitCodes: Object.fromEntries([...codes, ...(await Promise.all(ASKED.slice(-1).map(answered)))]),
      sent: requests,
    };
  }

  const optionsOf = (command: string): string[] =>
    [...(COMMANDS[command]?.().help() ?? "").matchAll(/^ {2}(--[\w-]+)/gm)].map(([, option = ""]) => option);
  const allOptions = () => Object.fromEntries(Object.keys(COMMANDS).map((command) => [command, optionsOf(command)]));

  if (isRecording) {
    for (const [name, make] of Object.entries(Stacks)) {
      it(`is recorded: ${name}`, () =>
        inProject(async (project) => {
          const { platform, stack, put, read, pulumi, sent } = project;
          put("Pulumi.dev.yaml", stackFile(platform.url, 10));
          await make(project);
          const state = JSON.parse(await stack.exportText()) as StackState;
          const file = read("Pulumi.dev.yaml");
          put("Pulumi.dev.yaml", stackFile(platform.url, file.includes("percent: 10") ? 50 : 100));
          const preview = JSON.parse(await pulumi("preview", "--json")) as object;
          platform.clearFaults();
          sent();
          const left = { state, stackFile: file.replaceAll(platform.url, "<platform>"), preview };
          const answers = await ask(project, left);
          keep(keptFile(name, version), JSON.stringify({ left, answers }), platform.url);
        }));
    }

    it("is recorded: the options of each command", () =>
      keep(keptFile("options", version), JSON.stringify(allOptions()), "<none>"));
  }

  for (const name of Object.keys(Stacks)) {
    for (const release of releasesWith(name)) {
      it(`is taken up as that release would: ${name} of ${release}`, () =>
        inProject(async (project) => {
          const file = keptFile(name, release);
          const { left, answers } = kept<{ left: Left; answers: Answers }>(file, project.platform.url);
          assert.deepEqual(await ask(project, left), answers);
        }));
    }
  }

  for (const release of releasesWith("options")) {
    it(`has every command and option that scripts of ${release} may call`, () => {
      const recorded = Object.entries(kept<Record<string, string[]>>(keptFile("options", release), "<none>"));
      const lost = recorded.flatMap(([command, options]) =>
        options.filter((option) => !optionsOf(command).includes(option)).map((option) => `${command} ${option}`),
      );
      assert.ok(recorded.length > 5);
      assert.deepEqual(lost, []);
    });
  }
});
