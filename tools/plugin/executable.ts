import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { bundled } from "./bundle";

/**
 * The plugin and Node in one file, by Node's own support for single executables: for machines without Node. It is made for the platform
 * and with the Node that run this.
 */
interface Executable {
  readonly content: Buffer;
  /** The terms of the packages inside, and those of Node. */
  readonly licenses: string;
}

/** What Node looks for in its own file at start; it is part of Node's interface. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

export async function executable(): Promise<Executable> {
  const folder = mkdtempSync(join(tmpdir(), "agent-platform-executable-"));
  const inFolder = (name: string) => join(folder, name);
  try {
    const { code, licenses } = bundled("inside");
    writeFileSync(inFolder("plugin.js"), code);
    const config = {
      main: inFolder("plugin.js"),
      output: inFolder("plugin.blob"),
      disableExperimentalSEAWarning: true,
    };
    // The code is compiled here once, and not at each start.
    writeFileSync(inFolder("sea.json"), JSON.stringify({ ...config, useCodeCache: true }));
    execFileSync(process.execPath, ["--experimental-sea-config", inFolder("sea.json")], { stdio: "pipe" });
    await embed(inFolder("plugin"), readFileSync(config.output));
    return {
      content: readFileSync(inFolder("plugin")),
      licenses: `${licenses}\n${"-".repeat(80)}\n\n${nodeLicense()}`,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** macOS runs no file whose signature does not fit. So Node's own is removed first, and one without an identity is added at the end. */
async function embed(file: string, blob: Buffer): Promise<void> {
  const isMac = process.platform === "darwin";
  copyFileSync(process.execPath, file);
  if (isMac) {
    execFileSync("codesign", ["--remove-signature", file]);
  }
  const { inject } = await import("postject");
  await inject(file, "NODE_SEA_BLOB", blob, { sentinelFuse: FUSE, ...(isMac && { machoSegmentName: "NODE_SEA" }) });
  if (isMac) {
    execFileSync("codesign", ["--sign", "-", file]);
  }
}

/** Where Node's own archives and the packages of Linux have it. */
function nodeLicense(): string {
  const folder = dirname(process.execPath);
  const places = [join(folder, "LICENSE"), join(folder, "../LICENSE"), join(folder, "../share/doc/nodejs/LICENSE")];
  const found = places.find((place) => existsSync(place));
  if (found === undefined) {
    throw new Error(`Node's license is in none of ${places.join(", ")}.`);
  }
  return `Node.js ${process.versions.node}\n\n${readFileSync(found, "utf8")}`;
}
