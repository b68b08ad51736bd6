import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type PipelineProject, pipelineFiles } from "../../cli/start/pipelines";
import { repository } from "../support/engine";
import { temporaryFolder } from "../support/engineFakes";
import { PHONES, PIPELINE_SETS } from "./pipelineFiles";

const run = promisify(execFile);

/** The newest releases of this linter are a Go module. It knows expressions, contexts, needs, and the inputs of a workflow that another one calls. */
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

/** Without the scripts. */
const workflows = (of: PipelineProject): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(pipelineFiles("github", of)).filter(([path]) => path.startsWith(".github/")));

/** The linter takes no action as an argument. It reads the one that a workflow uses. */
const isWorkflow = (file: string) => file.includes("/workflows/");

describe("a GitHub workflow from init", () => {
  const folder = temporaryFolder();

  function write(files: Readonly<Record<string, string>>): string[] {
    // The linter looks for a repository, to find the workflows that others call.
    mkdirSync(join(folder.path, ".git"));
    return Object.entries(files).map(([path, text]) => {
      const file = join(folder.path, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    });
  }

  for (const [name, of] of Object.entries(PIPELINE_SETS)) {
    it(`passes actionlint with ${name}`, async () => {
      assert.equal(await lint(folder.path, write(workflows(of))), "");
    });
  }

  it("pins each action to a commit", () => {
    const own = readdirSync(join(repository, ".github/workflows"));
    const texts = [
      ...Object.values(workflows(PHONES)),
      ...own.map((file) => readFileSync(join(repository, ".github/workflows", file), "utf8")),
    ];
    const uses = texts.flatMap((text) => text.match(/uses: (?!\.\/).*/g) ?? []);
    const unpinned = uses.filter((line) => !/^uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line));
    assert.deepEqual(unpinned, []);
    assert.ok(uses.length > 5, "the texts have such lines");
  });

  it("fails actionlint if a job or input is undefined", async () => {
    const all = Object.entries(workflows(PHONES));
    const broken = all.map(([path, text]) => [
      path,
      text
        .replace("needs: [deploy-1]", "needs: [deploy-0]")
        .replace(/^ {6}folder: /m, "      foldr: ")
        .replace("          folder: ", "          fodler: "),
    ]);
    const found = await lint(folder.path, write(Object.fromEntries(broken)));
    assert.match(found, /job "deploy-2" needs job "deploy-0" which does not exist/);
    assert.match(found, /input "foldr" is not defined in/);
    assert.match(found, /"fodler" is not defined in action/);
  });
});
