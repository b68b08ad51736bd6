import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { takeoverCommand } from "../../cli/commands/takeover";
import { type Written, withRecorded } from "./recorded";
import { type Printed, runWith } from "./terminal";

export const BASE = { "agent-platform:baseUrl": "https://p.example" };

/** The project that takeover runs in. */
export interface TakeoverProject {
  /** The config of the stack `prod`. */
  readonly config?: Readonly<Record<string, string>>;
  /** The state of the stack `prod`. */
  readonly state?: Written;
  /** Other files in the project, by path relative to the project's folder. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly env?: Readonly<Record<string, string>>;
}

export type TakeoverFolder = ReturnType<typeof folderOf>;

const folderOf = (path: string) => ({
  read: (name: string) => readFileSync(join(path, name), "utf8"),
  /** Lists which of takeover's two output files exist. */
  written: () => readdirSync(path).filter((name) => name === "numbers.ts" || name === "import.json"),
});

/** Runs `takeover numbers.csv --stack prod` in a project whose numbers.csv contains this table. */
export async function takeover(
  table: string | Buffer,
  argv: readonly string[],
  { config = BASE, state = {}, files = {}, env = {} }: TakeoverProject,
  test: (printed: Printed, folder: TakeoverFolder) => unknown = () => undefined,
): Promise<Printed> {
  return withRecorded({ prod: { config, state } }, async (world) => {
    for (const [name, content] of Object.entries({ "numbers.csv": table, ...files })) {
      mkdirSync(dirname(join(world.cwd, name)), { recursive: true });
      writeFileSync(join(world.cwd, name), content);
    }
    const args = ["numbers.csv", ...argv, "--stack", "prod"];
    const printed = await runWith(takeoverCommand.run, args, { ...world, env: { ...world.env, ...env } });
    await test(printed, folderOf(world.cwd));
    return printed;
  });
}

// --- a case for each message

const GUARDS = {
  ...BASE,
  "agent-platform:approvedAgents": '["agent_front@12"]',
  "agent-platform:maxUnapproved": "0",
  "agent-platform:requireVersions": "true",
  "agent-platform:weightTotal": "100",
};

interface TakeoverCase {
  readonly name: string;
  readonly table: string;
  readonly argv?: readonly string[];
  readonly project?: TakeoverProject;
}

const GOOD = "+442079460100,Sales,agent_front@12:100,-,-,-";
const HEADER = "number,label,agents,outbound,webhook,time routing";

/** A case for each message that takeover can print. */
export const TAKEOVER_CASES: readonly TakeoverCase[] = [
  { name: "one stack without an import", table: `${HEADER}\n${GOOD}` },
  { name: "one stack with an import", table: `${HEADER}\n${GOOD}`, argv: ["--import"] },
  {
    name: "one of two stacks",
    table: `${HEADER}\n${GOOD}`,
    project: { files: { "Pulumi.dev.yaml": "", "Pulumi.prod.yaml": "" } },
  },
  {
    name: "a table that the guards refuse",
    table: `${HEADER}\n4001,-,agent_a:1,-,-,-\n4002,-,agent_b@2:1,agent_c@3,-,-`,
    project: { config: GUARDS },
  },
  {
    name: "rows to fix",
    table: [
      HEADER,
      GOOD,
      "4.42079E+11,,agent_a@1:60 agent_a@1:40,front,https://user:key@hooks.example.com,maybe",
      "+442079460102,-,agent_a@1:90 agent_b@1:9,-,-,-",
      "+442079460100,-,agent_a:x agent_b,-,-,-",
      "+44 20,-,agent_a:0,agent_a:5,-,-",
      "+442079460103,-,agent_a:100",
      "-, x,bob:100,-,-,constructor",
      "5551234567,-,-,-,-,-",
      "+1555123456,-,-,-,-,-",
    ].join("\n"),
  },
  { name: "numbers with the same routing", table: `${HEADER}\n${GOOD}\n${GOOD.replace("100,", "101,")}` },
  { name: "an agent without a weight among others", table: `${HEADER}\n4001,-,agent_a:1 agent_b,-,-,-` },
  {
    name: "a spreadsheet that is not saved as text",
    table: "",
    project: { files: { "numbers.csv": Buffer.from("PK\u0003\u0004\u00ff", "latin1") } },
  },
  { name: "three arguments", table: `${HEADER}\n${GOOD}`, argv: ["a", "b"] },
  { name: "a file that is not CSV", table: 'a\n"b\nc' },
  { name: "a table without numbers", table: `${HEADER}\n` },
  { name: "a table without agents", table: "number,label\n4001,-" },
  { name: "a repeated column", table: "number,agents,Number\n4001,-,-" },
  { name: "unknown columns", table: "Phone Number,Description,agents\n4001,-,-" },
  { name: "no project", table: `${HEADER}\n${GOOD}`, argv: ["new"] },
  { name: "no base URL", table: `${HEADER}\n${GOOD}`, project: { config: {} } },
  { name: "numbers.ts exists", table: `${HEADER}\n${GOOD}`, project: { files: { "numbers.ts": "" } } },
];
