import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { abortCommand } from "../../cli/commands/abort";
import { processIo } from "../../cli/io";
import { readConfig } from "../../cli/pulumi/config";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { type Printed, runWith } from "../cli/terminal";
import { environment } from "../support/engine";
import { newProject } from "../support/engineProject";

/** promote and abort write through the real Pulumi CLI. What `pulumi config` says before and after is the judge. */

const KEY = "agent-platform:rollouts";

interface Form {
  readonly name: string;
  /** The file of the stack; without it there is none. */
  readonly stack?: string;
  /** The value in the project's file. */
  readonly project?: string;
  /** What the file becomes. The time of the abort is NOW. */
  readonly becomes?: string;
}

const NOW = "2026-11-23T09:02:00.000Z";
const IN_BRACES = "{ stable: agent_front@12, candidate: agent_front@13, percent: 10 }";

const forms: Form[] = [
  {
    name: "keeps comments, quotes, order and flow style",
    stack: `# Ask the team "voice".
config:
  agent-platform:baseUrl: 'https://platform.example' # production
  ${KEY}:
    # the hotline
    front:
      stable: agent_front@12 # in use since October
      candidate: "agent_front@13"
      percent: 10 # promote edits this
    night: {stable: agent_night@4, candidate: agent_night@5, percent: 50} # all
  phones:reassert: "0" # a text
`,
    becomes: `# Ask the team "voice".
config:
  agent-platform:baseUrl: 'https://platform.example' # production
  ${KEY}:
    # the hotline
    front:
      stable: agent_front@12 # in use since October
      candidate: "agent_front@13"
      percent: 0 # promote edits this
      aborted:
        agent: agent_front@13
        at: "${NOW}"
        percent: 0
    night: {stable: agent_night@4, candidate: agent_night@5, percent: 50} # all
  phones:reassert: "0" # a text
`,
  },
  {
    name: "drops nothing of a text of JSON",
    stack: `config:\n  ${KEY}: '{"front": {"stable": "agent_front@12", "candidate": "agent_front@13", "percent": 10, "promote": {"minSoak": "24h"}}, "night-desk": {"stable": "agent_night@4", "candidate": "agent_night@5", "percent": 2.5}}'\n  phones:x: 010\n`,
  },
  {
    name: "drops nothing that stands in the project's file",
    project: `{ value: { front: ${IN_BRACES}, night: ${IN_BRACES} } }`,
  },
  {
    name: "drops nothing of a text of JSON in the project's file, beside other config of the stack",
    project: `'{"front": {"stable": "agent_front@12", "candidate": "agent_front@13", "percent": 10}, "night": {"stable": "agent_n@1"}}'`,
    stack: "config:\n  phones:x: 1\n",
  },
  {
    name: "changes no rollout that is an alias of it",
    stack: `config:\n  ${KEY}:\n    front: &shared ${IN_BRACES}\n    night: *shared\n`,
  },
  {
    name: "changes no rollout of which it is an alias",
    stack: `config:\n  ${KEY}:\n    night: &shared ${IN_BRACES}\n    front: *shared\n`,
  },
  {
    name: "reads and keeps merge keys",
    stack: `config:\n  ${KEY}:\n    base: &base { stable: agent_front@12, promote: { minSoak: 24h } }\n    front: { <<: *base, candidate: agent_front@13, percent: 10 }\n    night: { <<: *base, candidate: agent_front@13, percent: 50 }\n`,
  },
  {
    name: "changes no agent that is an alias",
    stack: `config:\n  ${KEY}:\n    front: { stable: agent_front@12, candidate: &new agent_front@13, percent: 10 }\n    night: { stable: agent_front@12, candidate: *new, percent: 10 }\n`,
  },
];

interface Project {
  readonly read: () => Promise<{ readonly front: Readonly<Record<string, unknown>>; readonly others: unknown }>;
  readonly abort: () => Promise<Printed>;
  readonly text: () => string;
}

/** A project on the real CLI with the rollouts in this form. */
async function withForm({ stack, project }: Form, test: (project: Project) => Promise<void>): Promise<void> {
  const own = newProject({ projectName: "phones" });
  const { root, directory } = own;
  const file = join(directory, "Pulumi.dev.yaml");
  const ofProject = project === undefined ? "" : `config:\n  ${KEY}: ${project}\n`;
  writeFileSync(join(directory, "Pulumi.yaml"), `name: phones\nruntime: nodejs\n${ofProject}`);
  if (stack !== undefined) {
    writeFileSync(file, stack);
  }
  const engine = await findOrInstallEngine();
  const world = { cwd: directory, env: environment(engine.directory, own, {}) };
  try {
    await test({
      async read() {
        const { [KEY]: all, ...config } = await readConfig({ stack: "dev" }, { ...processIo(), ...world });
        const { front, ...rollouts } = JSON.parse(all?.value ?? "{}");
        return { front, others: { config, rollouts } };
      },
      abort: () => runWith(abortCommand.run, ["front", "--stack", "dev"], { ...world, now: () => new Date(NOW) }),
      text: () => readFileSync(file, "utf8"),
    });
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** As the engine reads it: Pulumi writes 2.5 as a text. */
const asRead = (value: unknown) => JSON.parse(JSON.stringify(value), (_, one) => (one === "2.5" ? 2.5 : one));

describe("an abort through the Pulumi CLI", () => {
  for (const form of forms) {
    it(form.name, () =>
      withForm(form, async ({ read, abort, text }) => {
        const before = await read();
        const printed = await abort();
        assert.equal(printed.code, 0, printed.stderr);
        const { front, others } = await read();
        const aborted = { agent: "agent_front@13", percent: 0, at: NOW };
        assert.deepEqual(front, { ...before.front, percent: 0, aborted });
        assert.deepEqual(asRead(others), asRead(before.others));
        if (form.becomes !== undefined) {
          assert.equal(text(), form.becomes);
        }
      }),
    );
  }
});
