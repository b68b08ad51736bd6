import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { install, livesUser, type Packed, packBuilt, run, writeUser } from "./support/packed";
import { repository } from "./support/repository";

/**
 * The maximum size of the package's tarball. Before you raise it, look for parts that no user needs, such as pages that
 * no message mentions.
 */
const MAX_BYTES = 275_000;

const ENTRIES = ["pulumi-agent-platform", "pulumi-agent-platform/handlers", "pulumi-agent-platform/emulator"];

describe("the published package", () => {
  let packed: Packed;
  let consumer: string;
  before(async () => {
    packed = await packBuilt();
    consumer = await install(packed);
  });
  after(() => rmSync(packed.root, { recursive: true, force: true }));
  const read = (path: string) => readFileSync(join(consumer, "node_modules/pulumi-agent-platform", path), "utf8");
  const node = async (...args: string[]) => (await run(process.execPath, args, { cwd: consumer })).stdout;

  it("contains only run-time files and user documentation", () => {
    const unexpected = packed.files.filter(({ path }) => {
      const [, source] = /^dist\/((?:provider|emulator)\/.*?|cli\/.*?(?!\.d))(?:\.js|\.d\.ts)$/.exec(path) ?? [];
      if (source !== undefined) {
        return !existsSync(join(repository, `${source}.ts`));
      }
      return !/^(package\.json|docs\/.+\.(md|svg)|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md|examples\/pipelines\/.+|templates\/.+)$/.test(
        path,
      );
    });
    assert.deepEqual(unexpected, []);
    assert.ok(packed.size <= MAX_BYTES, `${packed.size} bytes`);
  });

  it("contains every file that its documentation links to", () => {
    const paths = packed.files.map(({ path }) => path);
    const missing = paths
      .filter((path) => /^docs\/.*\.md$/.test(path))
      .flatMap((page) =>
        [...read(page).matchAll(/\]\((?!https:|#)([^)#]+)/g)].map(([, to = ""]) => join(dirname(page), to)),
      )
      .filter((target) => !paths.some((path) => path === target || path.startsWith(`${target}/`)));
    assert.deepEqual(missing, []);
  });

  it("contains comments only in public type declarations", async () => {
    const declared = packed.files.flatMap(({ path }) => /^dist\/(.+)\.d\.ts$/.exec(path)?.[1] ?? []);
    assert.deepEqual(
      declared.filter((path) => /^cli|\/(api|numbers|posts|run|words)\//.test(path)),
      [],
    );
    assert.match(read("dist/provider/numberAssignment.d.ts"), /^ {4}\/\*\* [A-Z]/m);
    const commented = packed.files
      .map(({ path }) => path)
      .filter((path) => path.endsWith(".js") && /^\s*(\/\*|\/\/)/m.test(read(path)));
    assert.deepEqual(commented, []);
  });

  it("is published only from the repository named in package.json", () => {
    const release = readFileSync(join(repository, ".github/workflows/release.yml"), "utf8");
    assert.match(release, /npm publish release\/\*\.tgz/);
    // Without this check in the workflow, a fork could publish its code in a package that links to our repository.
    assert.match(release, /= "git\+\$GITHUB_SERVER_URL\/\$GITHUB_REPOSITORY\.git"/);
  });

  it("works in a minimal project", async () => {
    writeUser(consumer);
    await livesUser(consumer);
  });

  it("pins its five dependencies to exact versions", () => {
    const { dependencies, peerDependencies, optionalDependencies, scripts } = JSON.parse(
      read("package.json"),
    ) as Record<string, Record<string, string> | undefined>;
    assert.deepEqual(Object.keys(dependencies ?? {}), ["csv-parse", "got", "hpagent", "proxy-from-env", "zod"]);
    for (const version of Object.values(dependencies ?? {})) {
      assert.match(version, /^\d+\.\d+\.\d+$/);
    }
    assert.deepEqual([peerDependencies, optionalDependencies], [{ "@pulumi/pulumi": "^3.200.0" }, undefined]);
    // Installing the package must not run any code on the user's machine.
    const atInstall = Object.keys(scripts ?? {}).filter((name) => /^((pre|post)?install|prepare)$/.test(name));
    assert.deepEqual(atInstall, []);
  });

  for (const entry of ENTRIES) {
    it(`lets ES modules import every CommonJS export of ${entry}`, async () => {
      const names = JSON.parse(await node("-p", `JSON.stringify(Object.keys(require("${entry}")).sort())`)) as string[];
      assert.notDeepEqual(names, [], `${entry} exports something`);
      const program = `import { ${names.join(", ")} } from "${entry}"; console.log([${names.join(", ")}].includes(undefined));`;
      assert.equal(await node("--input-type=module", "-e", program), "false\n");
    });
  }

  it("includes a CLI that prints help pages and writes pipelines", async () => {
    const main = join(consumer, "node_modules/pulumi-agent-platform/dist/cli/main.js");
    const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };
    assert.equal(await node(main, "--version"), `${version}\n`);
    assert.match(await node(main, "help", "killed-run"), /^# A run was killed/m);
    assert.match(await node(main, "help", "AGP-031"), /^AGP-031 /m);
    assert.match(
      await node(main, "init", "phones", "--package", packed.tarball),
      /^ {2}\.github\/workflows\/phones\.yml\n/m,
    );
  });
});
