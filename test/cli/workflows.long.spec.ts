import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type PipelineProject, pipelineFiles } from "../../cli/start/pipelines";
import { repository } from "../support/engine";
import { temporaryFolder } from "../support/engineFakes";
import { PHONES, PROJECTS } from "./pipelineFiles";

const run = promisify(execFile);

/**
 * Returns actionlint's output, which is empty if it finds no errors. actionlint runs as a Go module, because that is
 * where its newest releases are published.
 */
async function lint(folder: string, files: readonly string[]): Promise<string> {
  const args = [
    "tool",
    "actionlint",
    "-shellcheck=",
    "-pyflakes=",
    "-no-color",
    "-oneline",
    ...files.filter(isWorkflow),
  ];
  const env = { ...process.env, GOWORK: "off" };
  try {
    await run("go", args, { cwd: join(repository, "tools/workflows"), env });
    return "";
  } catch (error) {
    return (error as { readonly stdout: string }).stdout.replaceAll(`${folder}/`, "");
  }
}

/** Returns a project's workflows and its action, without its scripts. */
const workflows = (project: PipelineProject): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(pipelineFiles("github", project)).filter(([path]) => path.startsWith(".github/")));

/**
 * actionlint doesn't accept action files as arguments. It checks an action's inputs in the workflows that use the
 * action.
 */
const isWorkflow = (file: string) => file.includes("/workflows/");

describe("a GitHub workflow from init", () => {
  const folder = temporaryFolder();

  function write(files: Readonly<Record<string, string>>): string[] {
    // actionlint finds called workflows only inside a Git repository.
    mkdirSync(join(folder.path, ".git"));
    return Object.entries(files).map(([path, text]) => {
      const file = join(folder.path, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    });
  }

  for (const [name, project] of Object.entries(PROJECTS)) {
    it(`passes actionlint with ${name}`, async () => {
      assert.equal(await lint(folder.path, write(workflows(project))), "");
    });
  }

  it("pins each action to a commit", () => {
    const ownFiles = readdirSync(join(repository, ".github/workflows"));
    const sources = [
      ...Object.values(workflows(PHONES)),
      ...ownFiles.map((file) => readFileSync(join(repository, ".github/workflows", file), "utf8")),
    ];
    const uses = sources.flatMap((text) => text.match(/uses: (?!\.\/).*/g) ?? []);
    const unpinned = uses.filter((line) => !/^uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line));
    assert.deepEqual(unpinned, []);
    assert.ok(uses.length > 5, "too few actions were found");
  });

  it("fails actionlint if a job or input is undefined", async () => {
    const files = Object.entries(workflows(PHONES));
    const broken = files.map(([path, text]) => [
      path,
      text
        .replace("needs: [deploy-1]", "needs: [deploy-0]")
        .replace(/^ {6}folder: /m, "      foldr: ")
        .replace("          folder: ", "          fodler: "),
    ]);
    const output = await lint(folder.path, write(Object.fromEntries(broken)));
    assert.match(output, /job "deploy-2" needs job "deploy-0" which does not exist/);
    assert.match(output, /input "foldr" is not defined in/);
    assert.match(output, /"fodler" is not defined in action/);
  });
});
