import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { after, before, type Context, describe, it } from "mocha";
import { type Emulator, startEmulator } from "../../emulator";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { DOWNLOADS, GO_MODULE, SLUG } from "../../tools/reference/repository";
import { withStack } from "../support/engine";
import { repository } from "../support/repository";
import { publishedExamples } from "./publishedExamples";
import { goProgram, JAVA_PROGRAM, JAVA_PROJECT, PYTHON_PROGRAM } from "./sdkPrograms";

const run = promisify(execFile);
const GO = ["go", "version"] as const;
const PYTHON = ["python3", "--version"] as const;
const JAVA = ["mvn", "--version"] as const;

function skipped(test: Context, why: string): never {
  process.stderr.write(`        skipped: ${why}\n`);
  return test.skip();
}

async function isThere([command, ...args]: readonly [string, ...string[]]): Promise<boolean> {
  return run(command, args).then(
    () => true,
    () => false,
  );
}

const ROLLOUTS = { front: { stable: "agent_front@12", candidate: "agent_front@13", percent: 50 } };
const PLUGIN = "./node_modules/pulumi-agent-platform/plugin";
const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };

/** The script of one step of the release, as the workflow has it. */
function releaseStep(name: string): string {
  const workflow = readFileSync(join(repository, ".github/workflows/release.yml"), "utf8");
  const step = workflow.split(/^ {6}- /m).find((text) => text.startsWith(`name: ${name}`));
  return /run: \|\n(?<script>(?: {10}.*\n)+)/.exec(`${step}\n`)?.groups?.script ?? "false";
}

/** `pulumi package gen-sdk <schema> --language <one> --out <folder>`, if the CLI has no hosts of these languages. */
const GEN_SDK = `#!/bin/sh
set -e
all=$(mktemp -d)
"$GENERATOR" "$3" "$all"
mkdir -p "$7"
cp -r "$all/$5" "$7/"
rm -r "$all"
`;

/**
 * What a release has of the plugin, made by the step of its workflow, and a program of each language through the real engine. Pulumi's
 * generator of SDKs is built with Go; of its hosts, Python's and Java's are built as Node's is, and a Go program is its own by the Automation API.
 */
describe("a release", function () {
  this.timeout(30 * 60_000);
  let folder: string;
  let emulator: Emulator;

  async function command(cwd: string, file: string, args: readonly string[], env: Record<string, string> = {}) {
    const options = { cwd, env: { ...process.env, GOWORK: "off", GOFLAGS: "", ...env }, maxBuffer: 1e8 };
    return run(file, args, options).catch((error: unknown) => {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      throw new Error(`${file} ${args.join(" ")}\n${stdout}${stderr}`);
    });
  }
  const inFolder = (...parts: string[]) => join(folder, ...parts);

  before(async function () {
    if (!(await isThere(GO))) {
      skipped(this, "Pulumi's generator of SDKs is built with Go, and Go is not on this machine");
    }
    folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-sdks-")));
    emulator = await startEmulator();
    const generator = inFolder("generate");
    await command(join(repository, "tools/engine/sdks"), "go", ["build", "-mod=readonly", "-o", generator, "."]);
    mkdirSync(inFolder("generators"));
    for (const language of ["python", "go"]) {
      symlinkSync(generator, inFolder("generators", `pulumi-language-${language}`));
    }
    await runStep(generator);
  });
  after(async () => {
    await emulator?.close();
    if (folder !== undefined) {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  /** In a copy of what git holds, for it writes beside the sources. */
  async function runStep(generator: string): Promise<void> {
    const { stdout } = await command(repository, "git", ["ls-files"]);
    for (const file of stdout.trim().split("\n")) {
      cpSync(join(repository, file), inFolder("checkout", file));
    }
    symlinkSync(join(repository, "node_modules"), inFolder("checkout/node_modules"), "dir");
    mkdirSync(inFolder("bin"));
    writeFileSync(inFolder("bin/pulumi"), GEN_SDK, { mode: 0o755 });
    mkdirSync(inFolder("checkout/release"));
    // Of the step before.
    writeFileSync(inFolder(`checkout/release/pulumi-agent-platform-${version}.tgz`), "");
    writeFileSync(inFolder("checkout/release/sbom.cdx.json"), "");
    await command(inFolder("checkout"), "bash", ["-e", "-o", "pipefail", "-c", releaseStep("Build the plugin")], {
      PATH: [inFolder("bin"), process.env.PATH].join(delimiter),
      GENERATOR: generator,
      GITHUB_REF_NAME: `v${version}`,
    });
  }

  it("has the archive with launchers, and the sum of each file", async () => {
    const files = readdirSync(inFolder("checkout/release")).sort();
    assert.deepEqual(files, [
      "SHA256SUMS",
      `pulumi-agent-platform-${version}.tgz`,
      `pulumi-resource-agent-platform-v${version}-any.tar.gz`,
      "sbom.cdx.json",
    ]);
    const { stdout } = await command(inFolder("checkout/release"), "sha256sum", ["-c", "SHA256SUMS"]);
    assert.equal(stdout.trim().split("\n").length, files.length - 1);
  });

  it("has the version of the package everywhere, and says where its plugin is found", () => {
    const sdk = (file: string) => readFileSync(inFolder("checkout/sdk", file), "utf8");
    assert.match(sdk("python/pyproject.toml"), new RegExp(`^\\s*version = "${version}"$`, "m"));
    assert.match(sdk("go/go.mod"), new RegExp(`^module ${GO_MODULE}$`, "m"));
    for (const file of ["go/agentplatform/pulumi-plugin.json", "python/pulumi_agent_platform/pulumi-plugin.json"]) {
      const plugin = JSON.parse(sdk(file)) as Record<string, unknown>;
      assert.deepEqual([plugin.name, plugin.version, plugin.server], ["agent-platform", version, DOWNLOADS]);
    }
  });

  it("publishes the SDK for Go as a tag that Go finds", async () => {
    const checkout = inFolder("checkout");
    const hub = inFolder("hub.git");
    const git = (...args: string[]) => command(checkout, "git", args);
    await command(folder, "git", ["init", "--quiet", "--bare", hub]);
    await git("init", "--quiet");
    await git("remote", "add", "origin", hub);
    const env = { GITHUB_REF_NAME: `v${version}` };
    await command(checkout, "bash", ["-e", "-o", "pipefail", "-c", releaseStep("Publish the SDK for Go")], env);

    const { stdout } = await command(folder, "go", ["mod", "download", "-json", `${GO_MODULE}@v${version}`], {
      GOMODCACHE: inFolder("modules"),
      GOFLAGS: "-modcacherw",
      GOPRIVATE: `github.com/${SLUG}`,
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: `url.${hub}.insteadOf`,
      GIT_CONFIG_VALUE_0: `https://github.com/${SLUG}`,
    });
    const { Dir } = JSON.parse(stdout) as { readonly Dir: string };
    assert.ok(existsSync(join(Dir, "agentplatform/numberAssignment.go")), stdout);
  });

  /** In a project of that language with the npm package; what it prints, and the `packages` section. */
  async function addPackage(project: string, language: string, hosts = inFolder("generators")): Promise<string> {
    const { directory } = await findOrInstallEngine();
    mkdirSync(join(project, "node_modules"), { recursive: true });
    symlinkSync(repository, join(project, "node_modules/pulumi-agent-platform"), "dir");
    writeFileSync(join(project, "Pulumi.yaml"), `name: calls\nruntime: ${language}\n`);
    const { stdout, stderr } = await command(project, join(directory, "pulumi"), ["package", "add", PLUGIN], {
      PATH: [hosts, directory, process.env.PATH].join(delimiter),
      PULUMI_HOME: inFolder("home"),
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    });
    const generated = `Successfully generated an SDK for the agent-platform package at ${join(project, "sdks")}\n`;
    assert.ok(stdout.includes(generated), stdout);
    assert.match(stderr, /^Added package Agent Platform$/m);
    assert.equal(
      readFileSync(join(project, "Pulumi.yaml"), "utf8"),
      `name: calls\nruntime: ${language}\npackages:\n  agent-platform: ${PLUGIN}\n`,
    );
    return stdout.slice(stdout.indexOf(generated) + generated.length);
  }

  /** The requests that both programs need, and no more. */
  function assertApplied(): void {
    assert.deepEqual(emulator.routing("+15551230001"), {
      inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 },
      isTimeRoutingEnabled: true,
    });
    for (const number of ["+15551230002", "+15551230003"]) {
      assert.deepEqual(emulator.routing(number), { inboundAgents: { "agent_sales@4": 1 } });
    }
    assert.deepEqual(emulator.routing("+15551230004"), {
      inboundAgents: { "agent_front@12": 50, "agent_front@13": 50 },
    });
    assert.equal(emulator.requests.length, 4);
  }
  function assertCleared(): void {
    for (const number of ["+15551230001", "+15551230002", "+15551230003", "+15551230004"]) {
      assert.deepEqual(emulator.routing(number)?.inboundAgents, {});
    }
  }

  /** The program of a project, from its first `up` to `destroy`, with these folders in front of PATH. */
  async function goesToDestroy(project: string, folders: readonly string[]): Promise<void> {
    const { directory } = await findOrInstallEngine();
    const env = {
      PATH: [...folders, directory, process.env.PATH].join(delimiter),
      AGENT_PLATFORM_ACCESS_TOKEN: emulator.token,
    };
    const config = { "agent-platform:baseUrl": emulator.url, "agent-platform:rollouts": ROLLOUTS };
    await withStack({ existing: project, config, env }, async (stack) => {
      assert.deepEqual((await stack.up()).changeSummary, { create: 4 });
      assertApplied();
      assert.deepEqual((await stack.up()).changeSummary, { same: 4 });
      assertApplied();
      assert.deepEqual((await stack.destroy()).changeSummary, { delete: 4 });
      assertCleared();
    });
  }

  it("has an SDK for Go that builds and passes go vet, and a program of it goes from the first up to destroy", async () => {
    emulator.clearRequests();
    const { directory } = await findOrInstallEngine();
    const program = inFolder("program");
    assert.equal(await addPackage(program, "go"), '["sdks/agent-platform"]\n');
    const sdk = join(program, "sdks/agent-platform");
    // What a program that uses the SDK requires anyway; the SDK itself names the oldest version that will do.
    await command(sdk, "go", ["mod", "edit", "-require=github.com/pulumi/pulumi/sdk/v3@v3.255.0"]);
    writeFileSync(join(program, "main.go"), goProgram(GO_MODULE));
    writeFileSync(
      join(program, "go.mod"),
      [
        "module calls",
        "go 1.25.11",
        `require ${GO_MODULE} v0.0.0`,
        "require github.com/pulumi/pulumi/sdk/v3 v3.255.0",
        `replace ${GO_MODULE} => ./sdks/agent-platform`,
      ].join("\n"),
    );
    await command(program, "go", ["mod", "tidy"]);
    for (const { resource, text } of publishedExamples("go")) {
      mkdirSync(join(program, resource));
      writeFileSync(join(program, resource, "main.go"), text);
    }
    assert.equal(
      (await command(program, "gofmt", ["-l", ...publishedExamples("go").map(({ resource }) => resource)])).stdout,
      "",
    );
    await command(program, "go", ["vet", "./...", `${GO_MODULE}/...`]);
    await command(program, "go", ["build", "-o", "calls", "."]);

    mkdirSync(inFolder("state"));
    const env = {
      PATH: [directory, process.env.PATH].join(delimiter),
      PULUMI_HOME: inFolder("home"),
      PULUMI_BACKEND_URL: `file://${inFolder("state")}`,
      PULUMI_CONFIG_PASSPHRASE: "",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      AGENT_PLATFORM_ACCESS_TOKEN: emulator.token,
    };
    const lifecycle = (...operations: string[]) =>
      command(
        program,
        join(program, "calls"),
        [join(program, PLUGIN), emulator.url, JSON.stringify(ROLLOUTS), ...operations],
        env,
      );
    assert.equal((await lifecycle("up", "up")).stdout, "up map[create:4]\nup map[same:4]\n");
    assertApplied();
    assert.equal((await lifecycle("destroy")).stdout, "destroy map[delete:4]\n");
    assertCleared();
  });

  it("has an SDK for Python that compiles and passes mypy, and a program of it goes from the first up to destroy", async function () {
    if (!(await isThere(PYTHON))) {
      skipped(this, "Python is not on this machine");
    }
    emulator.clearRequests();
    const project = inFolder("python");
    assert.equal(await addPackage(project, "python"), '["sdks/agent-platform"]\n');
    const sdk = join(project, "sdks/agent-platform");
    await command(project, "python3", ["-m", "venv", "venv"]);
    const python = join(project, "venv/bin/python");
    await command(project, python, ["-m", "pip", "install", "--quiet", "pulumi==3.255.0", "mypy", sdk]);
    writeFileSync(join(project, "__main__.py"), PYTHON_PROGRAM);
    await command(project, python, ["-m", "compileall", "-q", join(sdk, "pulumi_agent_platform"), "__main__.py"]);
    for (const { resource, text } of publishedExamples("python")) {
      writeFileSync(join(project, `${resource}.py`), text);
      await command(project, python, ["-m", "mypy", "--strict", `${resource}.py`]);
    }
    // The generated code itself does not pass: what its callers may write is what its types are for.
    await command(project, python, ["-m", "mypy", "--strict", "__main__.py"]);
    writeFileSync(join(project, "wrong.py"), PYTHON_PROGRAM.replace('{"agent_sales@4": 1}', '["agent_sales@4"]'));
    await assert.rejects(
      command(project, python, ["-m", "mypy", "--strict", "wrong.py"]),
      /wrong\.py:\d+: error: Argument "inbound_agents" to "NumberGroup" has incompatible type "list\[str\]"|No overload variant of "NumberGroup" matches/,
    );

    // The last version whose host is a part of the SDK's module, as Node's: it runs programs with today's SDK.
    const host = "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python";
    const module = join(repository, "tools/engine/nodehost");
    const hosts = inFolder("hosts");
    await command(module, "go", ["build", "-mod=readonly", "-o", join(hosts, "pulumi-language-python"), host]);
    const { stdout } = await command(module, "go", ["list", "-mod=readonly", "-f", "{{.Dir}}", host]);
    cpSync(`${stdout.trim()}-exec`, join(hosts, "pulumi-language-python-exec"));
    assert.ok(existsSync(join(hosts, "pulumi-language-python-exec")));

    // This host reads no options of the runtime.
    await goesToDestroy(project, [join(project, "venv/bin"), hosts]);
  });

  it("has an SDK for Java that compiles, and a program of it goes from the first up to destroy", async function () {
    if (!(await isThere(JAVA))) {
      skipped(this, "Maven is not on this machine");
    }
    emulator.clearRequests();
    const hosts = inFolder("java-hosts");
    const host = "github.com/pulumi/pulumi-java/pkg/cmd/pulumi-language-java";
    const module = join(repository, "tools/engine/javahost");
    await command(module, "go", ["build", "-mod=readonly", "-o", join(hosts, "pulumi-language-java"), host]);
    const project = inFolder("java");
    mkdirSync(project);
    writeFileSync(join(project, "pom.xml"), JAVA_PROJECT);
    const told = await addPackage(project, "java", hosts);
    assert.match(told, /^ *cp -r sdks\/agent-platform\/src\/\* /m);

    const source = join(project, "src/main/java");
    cpSync(join(project, "sdks/agent-platform/src"), join(project, "src"), { recursive: true });
    for (const { resource, text } of publishedExamples("java")) {
      const name = resource.toLowerCase();
      mkdirSync(join(source, name));
      writeFileSync(join(source, name, "App.java"), `package ${name};\n${text}`);
    }
    mkdirSync(join(source, "calls"));
    writeFileSync(join(source, "calls/App.java"), JAVA_PROGRAM);
    await command(project, "mvn", ["--quiet", "--batch-mode", "compile"]);

    await goesToDestroy(project, [hosts]);
  });
});
