import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { withoutSettings } from "./engine/engine";

export interface Scratch {
  /** The project's folder. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

/** Creates a temporary folder with a project, its state and a separate home for Pulumi. */
export function createScratch({
  name,
  program,
  stackFile,
  env,
}: {
  /** The project's name. */
  readonly name: string;
  /** The source of index.js, in CommonJS. */
  readonly program: string;
  readonly stackFile: { readonly name: string; readonly text: string };
  readonly env: Readonly<Record<string, string>>;
}): Scratch {
  const root = realpathSync(mkdtempSync(join(tmpdir(), `${name}-`)));
  const cwd = join(root, "project");
  for (const folder of [cwd, join(root, "state"), join(root, "tmp")]) {
    mkdirSync(folder);
  }
  // Link node_modules in the parent folder, because the engine reads every file in the project's folder. On Windows, a
  // junction needs no administrator rights.
  symlinkSync(resolve(__dirname, "../node_modules"), join(root, "node_modules"), "junction");
  writeFileSync(join(cwd, "index.js"), program);
  writeFileSync(join(cwd, "Pulumi.yaml"), `name: ${name}\nruntime: nodejs\n`);
  writeFileSync(join(cwd, `Pulumi.${stackFile.name}.yaml`), stackFile.text);
  writeFileSync(join(cwd, "package.json"), '{ "main": "index.js" }\n');
  return {
    cwd,
    env: {
      ...withoutSettings(process.env),
      // The provider's processes share files there during a run.
      ...Object.fromEntries(["TMPDIR", "TMP", "TEMP"].map((variable) => [variable, join(root, "tmp")])),
      PULUMI_HOME: join(root, "home"),
      PULUMI_BACKEND_URL: `file://${join(root, "state").replaceAll("\\", "/")}`,
      PULUMI_CONFIG_PASSPHRASE: "",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      ...env,
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }),
  };
}
