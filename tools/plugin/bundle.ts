import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../reference/declarations";

/** The plugin as one file that needs Node alone, and the terms of what is in it. */
interface Bundle {
  readonly code: string;
  readonly licenses: string;
}

/** @param schema beside the bundle, where everyone can read it, or inside, where no file stands beside it */
export function bundled(schema: "beside" | "inside"): Bundle {
  const folder = mkdtempSync(join(tmpdir(), "agent-platform-plugin-"));
  const [code, meta] = [join(folder, "plugin.js"), join(folder, "meta.json")];
  try {
    const flags = ["--bundle", "--platform=node", "--target=node20", "--minify", "--legal-comments=none"];
    const files = [
      ...(schema === "beside" ? ["--external:./schema.json"] : []),
      `--outfile=${code}`,
      `--metafile=${meta}`,
      "--log-level=warning",
    ];
    const esbuild = join(root, "node_modules/esbuild/bin/esbuild");
    execFileSync(process.execPath, [esbuild, "provider/plugin/main.ts", ...flags, ...files], {
      cwd: root,
      stdio: "inherit",
    });
    const { inputs } = JSON.parse(readFileSync(meta, "utf8")) as { inputs: object };
    return { code: readFileSync(code, "utf8"), licenses: licensesOf(Object.keys(inputs)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The packages that are in the bundle, each with its own terms. */
function licensesOf(files: readonly string[]): string {
  const folders = files.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(folders)]
    .sort()
    .map(licenseOf)
    .join(`\n${"-".repeat(80)}\n\n`);
}

function licenseOf(folder: string): string {
  const path = join(root, folder);
  const {
    name,
    version: its,
    license,
  } = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as {
    name: string;
    version: string;
    license?: string;
  };
  const file = readdirSync(path).find((entry) => /^licen[cs]e/i.test(entry) && existsSync(join(path, entry)));
  const terms =
    file === undefined ? `License: ${license ?? "see the package"}\n` : readFileSync(join(path, file), "utf8");
  return `${name} ${its}\n\n${terms}`;
}
