import assert from "node:assert/strict";
import { needYaml } from "../support/engine";
import { type EmptyFolder, withEmptyFolder } from "./pipelineProject";

/** A new project as its owner goes on with it: from the first preview to all calls for the candidate, and back, without an edit by hand. */

const COMMAND = "npx pulumi-agent-platform";
const NEW = { "agent_front@13": 100 };
const OLD = { "agent_front@12": 100 };

class NewProject {
  readonly stacks: readonly string[];
  readonly #team: EmptyFolder;
  readonly #env: Readonly<Record<string, string>>;

  constructor(team: EmptyFolder, stacks: readonly string[]) {
    this.#team = team;
    this.stacks = stacks;
    this.#env = { STACKS: stacks.join(" "), AGENT_PLATFORM_ACCESS_TOKEN: team.emulator.token };
  }

  /** The check of a pull request. */
  review = (failOn: string) => this.#team.passes(["sh scripts/preview.sh"], { ...this.#env, FAIL_ON: failOn });

  async up(stack: string, before = ""): Promise<void> {
    const command = before === "" ? [] : [`${COMMAND} ${before} front --stack ${stack}`];
    await this.#team.passes([...command, `pulumi up --stack ${stack} --yes --non-interactive`], this.#env);
  }

  /** The numbers of the stack have this. Each stack has two of its own. */
  has(stack: string, split: object): void {
    const numbers = [1, 2].map((number) => `+1555123${this.stacks.indexOf(stack)}00${number}`);
    const { emulator } = this.#team;
    assert.deepEqual(
      numbers.map((number) => emulator.routing(number)?.inboundAgents),
      [split, split],
    );
  }
}

async function walk(team: EmptyFolder, option: string, language: string): Promise<void> {
  const { passes, emulator } = team;
  const project = new NewProject(team, option.replace(/^\S+ /, "").split(","));
  await passes([`${COMMAND} init . ${option} --language ${language} --base-url ${emulator.url}`]);
  await passes(project.stacks.map((stack) => `pulumi stack init ${stack}`));
  await project.review("delete,replace,shift>25");
  assert.equal(emulator.requests.length, 0);
  for (const stack of project.stacks) {
    await project.up(stack);
  }
  for (const [index, stack] of project.stacks.entries()) {
    project.has(stack, index === 0 ? { "agent_front@12": 90, "agent_front@13": 10 } : OLD);
    for (let step = index === 0 ? 2 : 0; step < 4; step += 1) {
      await project.up(stack, "promote");
      await project.review("delete,replace");
    }
    project.has(stack, NEW);
  }
  for (const stack of project.stacks) {
    await project.up(stack, "abort");
    project.has(stack, OLD);
  }
}

describe("what init writes goes from the first preview to 100 % and back", function () {
  this.timeout(20 * 60_000);
  before(needYaml);

  it("in TypeScript, with one stack", () => withEmptyFolder((team) => walk(team, "--stack prod", "typescript")));

  it("in YAML, with two stacks", () => withEmptyFolder((team) => walk(team, "--stacks dev,prod", "yaml")));
});
