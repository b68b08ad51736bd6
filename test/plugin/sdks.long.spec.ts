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
import { repository, withStack } from "../support/engine";
import { goProgram, PYTHON_PROGRAM } from "./sdkPrograms";

const run = promisify(execFile);
const GO = ["go", "version"] as const;
const PYTHON = ["python3", "--version"] as const;

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

const OWNER = "example/agent-platform";
const MODULE = `github.com/${OWNER}/sdk/go`;
const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };

/** The script of one step of the release, as it stands in the workflow. */
function releaseStep(name: string): string {
  const workflow = readFileSync(join(repository, ".github/workflows/release.yml"), "utf8");
  const step = workflow.split(/^ {6}- /m).find((text) => text.startsWith(`name: ${name}`));
  return /run: \|\n(?<script>(?: {10}.*\n)+)/.exec(`${step}\n`)?.groups?.script ?? "false";
}

/** `pulumi package gen-sdk <schema> --language <one> --out <folder>`, where the CLI has no hosts of these languages. */
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
 * generator of SDKs is built with Go; of its hosts, Python's is to be had as Node's is, and a Go program is its own by the Automation API.
 */
describe("a release", () => {
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
    await runStep(generator);
    mkdirSync(inFolder("sdk"));
    for (const language of ["python", "go"]) {
      const archive = inFolder(`checkout/release/pulumi-agent-platform-sdk-${language}-v${version}.tar.gz`);
      await command(folder, "tar", ["xzf", archive, "-C", inFolder("sdk")]);
    }
    mkdirSync(inFolder("plugin"));
    const plugin = inFolder(`checkout/release/pulumi-resource-agent-platform-v${version}-linux-amd64.tar.gz`);
    await command(folder, "tar", ["xzf", plugin, "-C", inFolder("plugin")]);
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
      GITHUB_REPOSITORY: OWNER,
      GITHUB_REF_NAME: `v${version}`,
    });
  }

  it("has one archive for each platform, the SDKs, and the sum of each", async () => {
    const files = readdirSync(inFolder("checkout/release")).sort();
    const platforms = ["darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64", "windows-amd64", "windows-arm64"];
    assert.deepEqual(files, [
      "SHA256SUMS",
      `pulumi-agent-platform-${version}.tgz`,
      `pulumi-agent-platform-sdk-go-v${version}.tar.gz`,
      `pulumi-agent-platform-sdk-python-v${version}.tar.gz`,
      ...platforms.map((platform) => `pulumi-resource-agent-platform-v${version}-${platform}.tar.gz`),
      "sbom.cdx.json",
    ]);
    const { stdout } = await command(inFolder("checkout/release"), "sha256sum", ["-c", "SHA256SUMS"]);
    assert.equal(stdout.trim().split("\n").length, files.length - 1);
  });

  it("has the version of the package everywhere, and says where its plugin is found", async () => {
    const archive = inFolder(`checkout/release/pulumi-resource-agent-platform-v${version}-linux-amd64.tar.gz`);
    const { stdout } = await command(folder, "tar", ["xzOf", archive, "schema.json"]);
    const schema = JSON.parse(stdout) as Record<string, unknown>;
    const server = `github://api.github.com/${OWNER}`;
    assert.deepEqual([schema.version, schema.pluginDownloadURL], [version, server]);
    const pyproject = readFileSync(inFolder("sdk/python/pyproject.toml"), "utf8");
    assert.match(pyproject, new RegExp(`^\\s*version = "${version}"$`, "m"));
    assert.match(readFileSync(inFolder("sdk/go/go.mod"), "utf8"), new RegExp(`^module ${MODULE}$`, "m"));
    for (const file of ["go/agentplatform/pulumi-plugin.json", "python/pulumi_agent_platform/pulumi-plugin.json"]) {
      const plugin = JSON.parse(readFileSync(inFolder("sdk", file), "utf8")) as Record<string, unknown>;
      assert.deepEqual([plugin.name, plugin.version, plugin.server], ["agent-platform", version, server]);
    }
  });

  /** The requests that both programs need, and no more. */
  function assertApplied(): void {
    assert.deepEqual(emulator.routing("+15551230001"), {
      inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 },
      isTimeRoutingEnabled: true,
    });
    for (const number of ["+15551230002", "+15551230003"]) {
      assert.deepEqual(emulator.routing(number), { inboundAgents: { "agent_sales@4": 1 } });
    }
    assert.equal(emulator.requests.length, 3);
  }
  function assertCleared(): void {
    for (const number of ["+15551230001", "+15551230002", "+15551230003"]) {
      assert.deepEqual(emulator.routing(number)?.inboundAgents, {});
    }
  }

  it("has an SDK for Go that builds and passes go vet, and a program of it goes from the first up to destroy", async () => {
    emulator.clearRequests();
    const { directory } = await findOrInstallEngine();
    // What a program that uses the SDK requires anyway; the SDK itself names the oldest version that will do.
    await command(inFolder("sdk/go"), "go", ["mod", "edit", "-require=github.com/pulumi/pulumi/sdk/v3@v3.255.0"]);
    const program = inFolder("program");
    mkdirSync(program);
    writeFileSync(join(program, "main.go"), goProgram(MODULE));
    writeFileSync(
      join(program, "go.mod"),
      [
        "module calls",
        "go 1.25.11",
        `require ${MODULE} v0.0.0`,
        "require github.com/pulumi/pulumi/sdk/v3 v3.255.0",
        `replace ${MODULE} => ../sdk/go`,
      ].join("\n"),
    );
    await command(program, "go", ["mod", "tidy"]);
    await command(program, "go", ["vet", ".", `${MODULE}/...`]);
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
      command(program, join(program, "calls"), [inFolder("plugin"), emulator.url, ...operations], env);
    assert.equal((await lifecycle("up", "up")).stdout, "up map[create:3]\nup map[same:3]\n");
    assertApplied();
    assert.equal((await lifecycle("destroy")).stdout, "destroy map[delete:3]\n");
    assertCleared();
  });

  it("has an SDK for Python that compiles and passes mypy, and a program of it goes from the first up to destroy", async function () {
    if (!(await isThere(PYTHON))) {
      skipped(this, "Python is not on this machine");
    }
    emulator.clearRequests();
    const project = inFolder("python");
    mkdirSync(project);
    await command(project, "python3", ["-m", "venv", "venv"]);
    const python = join(project, "venv/bin/python");
    await command(project, python, [
      "-m",
      "pip",
      "install",
      "--quiet",
      "pulumi==3.255.0",
      "mypy",
      inFolder("sdk/python"),
    ]);
    writeFileSync(join(project, "__main__.py"), PYTHON_PROGRAM);
    await command(project, python, [
      "-m",
      "compileall",
      "-q",
      inFolder("sdk/python/pulumi_agent_platform"),
      "__main__.py",
    ]);
    // The generated code itself does not pass: what its callers may write is what its types are for.
    await command(project, python, ["-m", "mypy", "--strict", "__main__.py"]);
    writeFileSync(join(project, "wrong.py"), PYTHON_PROGRAM.replace('{"agent_sales@4": 1}', '["agent_sales@4"]'));
    await assert.rejects(
      command(project, python, ["-m", "mypy", "--strict", "wrong.py"]),
      /wrong\.py:13: error: Argument "inbound_agents" to "NumberGroup" has incompatible type "list\[str\]"|No overload variant of "NumberGroup" matches/,
    );

    // The last version whose host is a part of the SDK's module, as Node's: it runs programs with today's SDK.
    const { directory } = await findOrInstallEngine();
    const host = "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python";
    const module = join(repository, "tools/engine/nodehost");
    const hosts = inFolder("hosts");
    await command(module, "go", ["build", "-mod=readonly", "-o", join(hosts, "pulumi-language-python"), host]);
    const { stdout } = await command(module, "go", ["list", "-mod=readonly", "-f", "{{.Dir}}", host]);
    cpSync(`${stdout.trim()}-exec`, join(hosts, "pulumi-language-python-exec"));
    assert.ok(existsSync(join(hosts, "pulumi-language-python-exec")));
    writeFileSync(
      join(project, "Pulumi.yaml"),
      `name: calls
runtime: python
plugins: { providers: [{ name: agent-platform, path: ${JSON.stringify(inFolder("plugin"))} }] }
`,
    );

    const env = {
      // This host reads no options of the runtime.
      PATH: [join(project, "venv/bin"), hosts, directory, process.env.PATH].join(delimiter),
      AGENT_PLATFORM_ACCESS_TOKEN: emulator.token,
    };
    const config = { "agent-platform:baseUrl": emulator.url };
    await withStack({ existing: project, config, env }, async (stack) => {
      assert.deepEqual((await stack.up()).changeSummary, { create: 3 });
      assertApplied();
      assert.deepEqual((await stack.up()).changeSummary, { same: 3 });
      assertApplied();
      assert.deepEqual((await stack.destroy()).changeSummary, { delete: 3 });
      assertCleared();
    });
  });
});
