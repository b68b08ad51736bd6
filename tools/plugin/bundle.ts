import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { root } from "../reference/declarations";

/** The plugin as one file that needs Node alone, and the terms of what is in it. */
interface Bundle {
  readonly code: string;
  readonly licenses: string;
}

/** @param schema `beside` if it is a file beside the bundle, `inside` if the bundle is the only file */
export function bundled(schema: "beside" | "inside"): Bundle {
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: ["provider/plugin/main.ts"],
    bundle: true,
    platform: "node",
    target: "node20",
    minify: true,
    legalComments: "none",
    external: schema === "beside" ? ["./schema.json"] : [],
    write: false,
    metafile: true,
    logLevel: "warning",
  });
  return { code: outputFiles.map(({ text }) => text).join(""), licenses: licensesOf(Object.keys(metafile.inputs)) };
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
