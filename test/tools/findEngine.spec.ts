import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findOrInstallEngine, isSupportedPulumi, type Machine } from "../../tools/engine/engine";
import { engineVersion } from "../../tools/engine/executables";
import { install, type Make } from "../../tools/engine/install";
import { fakeCli, plugins, temporaryFolder } from "../support/engineFakes";
import { repository } from "../support/repository";

const makeCli: Make = async (staging) => fakeCli(join(staging, "bin"));
const makeIncomplete: Make = async (staging) => fakeCli(join(staging, "bin"), undefined, []);
const failWith = (reason: string) => async () => {
  throw new Error(reason);
};

describe("isSupportedPulumi", () => {
  it("requires Pulumi 3.200 or newer, but below 4.0", () => {
    const printed = ["v3.200.0", "v3.255.0", "v3.199.9", "v4.0.0", "command not found"];
    assert.deepEqual(printed.map(isSupportedPulumi), [true, true, false, false, false]);
  });
});

describe("findOrInstallEngine", () => {
  const root = temporaryFolder();
  const path = () => join(root.path, "path");
  const bin = () => join(root.path, "home", "versions", engineVersion, "bin");
  /** Searches a fake machine on which downloads and builds fail, unless the test overrides them. */
  const find = (overrides: Partial<Machine> = {}) =>
    findOrInstallEngine({
      env: { PATH: path(), PULUMI_HOME: join(root.path, "home") },
      say: () => undefined,
      download: failWith("no network"),
      build: failWith("no Go"),
      ...overrides,
    });

  it("prefers a supported CLI on PATH to a previously installed one", async () => {
    fakeCli(path(), "echo v3.201.0");
    fakeCli(bin());
    assert.deepEqual(await find(), { directory: path(), version: "3.201.0", how: "on PATH" });
  });

  it("skips a CLI on PATH that is too old or incomplete", async () => {
    for (const [script, executables] of [
      ["echo v3.199.0", plugins],
      [undefined, ["pulumi-resource-pulumi-nodejs"]],
    ] as const) {
      rmSync(path(), { recursive: true, force: true });
      fakeCli(path(), script, executables);
      fakeCli(bin());
      assert.deepEqual(await find(), { directory: bin(), version: engineVersion, how: "installed before" });
    }
  });

  for (const [title, how, overrides] of [
    ["downloads a missing CLI", "downloaded", { download: makeCli, build: failWith("not asked") }],
    ["builds a missing CLI with Go", "built with Go", { build: makeCli }],
  ] as const) {
    it(`${title} and reuses it the next time`, async () => {
      assert.deepEqual(await find(overrides), { directory: bin(), version: engineVersion, how });
      assert.equal((await find()).how, "installed before");
    });
  }

  it("explains why no Pulumi CLI could be found or installed", async () => {
    fakeCli(path(), "echo v3.100.0");
    await assert.rejects(find(), {
      message:
        'No usable Pulumi CLI: pulumi on PATH has version "v3.100.0", but 3.200.0 or newer and below 4 is required, ' +
        `${bin()} does not contain one, the download failed (no network), building it with Go failed (no Go). ` +
        `Install Pulumi ${engineVersion} and put it on PATH, or allow access to Pulumi's downloads or ` +
        "(with Go installed) to a Go module proxy. Then run this again.",
    });
  });

  it("uses the same version of the CLI, the SDK and the Go module", () => {
    const sdk = JSON.parse(readFileSync(join(repository, "node_modules/@pulumi/pulumi/package.json"), "utf8"));
    assert.equal(sdk.version, engineVersion);
    const goModule = readFileSync(join(repository, "tools/engine/cli/go.mod"), "utf8");
    assert.equal(/github\.com\/pulumi\/pulumi\/pkg\/v3 v(\S+)/.exec(goModule)?.[1], engineVersion);
  });
});

describe("install", () => {
  const root = temporaryFolder();
  const installWith = (make: Make) => install(root.path, make, () => undefined);

  it("leaves no files behind if the installation fails", async () => {
    const failsLate: Make = async (...args) => {
      await makeIncomplete(...args);
      throw new Error("disk full");
    };
    await assert.rejects(installWith(failsLate), { message: "disk full" });
    assert.deepEqual(readdirSync(root.path), []);
  });

  it("installs the CLI only once for two concurrent calls", async () => {
    let times = 0;
    const slow: Make = async (...args) => {
      times += 1;
      await new Promise((resolve) => setTimeout(resolve, 50));
      await makeCli(...args);
    };
    const both = await Promise.all([installWith(slow), installWith(slow)]);
    assert.deepEqual(both.sort(), ["installed", "was there"]);
    assert.equal(times, 1);
  });
});
