import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { engineVersion } from "../../tools/engine/executables";
import { repository, withStack } from "../support/engine";
import { fakeCli, temporaryFolder } from "../support/engineFakes";
import { processesWith } from "../support/engineProcesses";
import { ProviderError, startProvider } from "../support/providerProcess";

describe("npm run pulumi", () => {
  const root = temporaryFolder();

  /** With a CLI on PATH that is this shell script, except for `pulumi version`. */
  function runWith(script: string, args: readonly string[] = [], preload: readonly string[] = []) {
    fakeCli(root.path, `[ "$1" = version ] && { echo v${engineVersion}; exit; }\n${script}`);
    const { PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE, PULUMI_HOME, ...env } = process.env;
    const modules = ["tsx/cjs", ...preload].flatMap((name) => ["-r", name]);
    const child = spawn(process.execPath, [...modules, join(repository, "tools/engine/main.ts"), ...args], {
      env: { ...env, PATH: [root.path, env.PATH].join(delimiter) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    return { child, ended: once(child, "close").then(([exitCode]) => ({ exitCode, output })) };
  }

  it("passes arguments and the exit code on", async () => {
    const { ended } = runWith('printf "%s|" "$@"; exit 7', ["up", "--message", "two words", ""]);
    assert.deepEqual(await ended, { exitCode: 7, output: "up|--message|two words||" });
  });

  it("keeps the state in the project's folder, without a passphrase to think of", async () => {
    const { ended } = runWith('echo "$PULUMI_BACKEND_URL ($PULUMI_CONFIG_PASSPHRASE) $PULUMI_SKIP_UPDATE_CHECK"');
    assert.equal((await ended).output, `file://${join(repository, ".state")} () true\n`);
  });

  it("passes a signal on, once, and waits for what the CLI makes of it", async () => {
    const { child, ended } = runWith("trap 'echo stopping' INT; echo ready; sleep 2 & wait; wait; echo end; exit 3");
    await once(child.stdout, "data");
    child.kill("SIGINT");
    child.kill("SIGINT");
    assert.deepEqual(await ended, { exitCode: 3, output: "ready\nstopping\nend\n" });
  });

  it("passes on a signal that comes as soon as the CLI runs", async () => {
    // A machine so busy that the CLI is well under way before anything is done after its start.
    const signalled = join(root.path, "signalled");
    const slowStart = join(root.path, "slowStart.cjs");
    writeFileSync(
      slowStart,
      `const child = require("node:child_process");
       const { spawn } = child;
       child.spawn = (...args) => {
         const started = spawn(...args);
         while (!require("node:fs").existsSync(${JSON.stringify(signalled)}));
         return started;
       };`,
    );
    const script = `trap 'echo stopping' INT; kill -INT $PPID; : >${signalled}; sleep 2 & wait; wait; echo end; exit 3`;
    const { ended } = runWith(script, [], [slowStart]);
    assert.deepEqual(await ended, { exitCode: 3, output: "stopping\nend\n" });
  });
});

const handlerText = `exports.handler = () => ({
  check: async (olds, news) => ({ inputs: news, failures: news.size < 0 ? [{ property: "size", reason: "negative" }] : [] }),
  diff: async (id, olds, news) => ({ changes: olds.size !== news.size, replaces: [] }),
  create: async (inputs) => {
    console.error("creating");
    if (inputs.size > 9) throw Object.assign(new Error("too big"), { id: "half", properties: inputs, reasons: ["why"] });
    return { id: "a", outs: inputs };
  },
});`;

describe("a stack of the real CLI", () => {
  const program = (size: number) => `
    import { Config, CustomResource } from "@pulumi/pulumi";
    const token: string = new Config("agent-platform").get("accessToken") ?? "none";
    const inputs = { size: ${size}, length: token.length, __provider: ${JSON.stringify(handlerText)} };
    new CustomResource("pulumi-nodejs:dynamic:Thing", "a", inputs);`;

  it("runs a program, reports the steps and keeps a secret", async () => {
    const config = { "agent-platform:accessToken": { secret: "hush-hush" } };
    await withStack({ program: program(1), config }, async (stack) => {
      const created = await stack.up();
      assert.deepEqual(created.changeSummary, { create: 2 });
      const said = created.diagnostics.map(({ severity, message }) => `${severity}: ${message}`);
      assert.deepEqual(said, ["info#err: creating"], "no plugin was looked for anywhere else");
      assert.deepEqual(
        stack.resources().map(({ id, inputs }) => [id, inputs.length]),
        [["a", "hush-hush".length]],
      );

      stack.write(program(2));
      const preview = await stack.preview({ diff: true });
      assert.match(preview.output, /~ size *: 1 => 2/);
      assert.deepEqual(
        preview.steps.map(({ op, name, before, after }) => [op, name, before?.size, after?.size]),
        [["update", "a", 1, 2]],
      );
      assert.ok(!stack.stateText().includes("hush-hush"));
      assert.deepEqual((await stack.destroy()).changeSummary, { delete: 2 });
    });
  });

  it("leaves no folder and no process behind", async () => {
    let folder = "";
    await withStack({ program: program(1) }, async (stack) => {
      folder = stack.project.root;
      const run = stack.spawn(["up", "--yes", "--skip-preview"]);
      await run.waitFor("program");
      run.child.kill("SIGKILL");
    });
    assert.equal(existsSync(folder), false);
    assert.deepEqual(processesWith("PULUMI_HOME", join(folder, "home")), []);
  });
});

describe("a provider process without the engine", () => {
  it("answers the engine's calls", async () => {
    const provider = await startProvider();
    try {
      const size = (value: number) => ({ size: value, __provider: handlerText });
      await provider.configure({ "agent-platform:baseUrl": "http://127.0.0.1:1" });
      assert.deepEqual(await provider.check(undefined, { ...size(1), note: undefined }), {
        inputs: size(1),
        failures: [],
      });
      const { failures } = await provider.check(size(1), size(-1));
      assert.deepEqual(failures, [{ property: "size", reason: "negative" }]);
      const diff = await provider.diff("a", size(1), size(2));
      assert.deepEqual(diff, { changes: true, replaces: [], deleteBeforeReplace: false });
      assert.deepEqual(await provider.create(size(1)), { id: "a", outs: size(1) });
      assert.deepEqual(await provider.read("a", size(1)), { id: "a", props: size(1) });
      await provider.delete("a", size(1));
      await assert.rejects(provider.create(size(10)), (error) => {
        assert.ok(error instanceof ProviderError);
        assert.equal(error.message, "too big");
        assert.deepEqual(error.initFailed, { id: "half", properties: size(10), reasons: ["why"] });
        return true;
      });
    } finally {
      await provider.close();
    }
    // Only now is everything read that it wrote.
    assert.equal(provider.stderr, "creating\ncreating\n");
  });
});
