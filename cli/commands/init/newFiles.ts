import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../../io";

/** Path below the folder, with slashes, to text. */
export type Files = Readonly<Record<string, string>>;

/** Writes all of them or none: what is there already is somebody's work, and stays as it is. */
export function writeNew(folder: string, files: Files, advice = "choose another folder"): void {
  const there = Object.keys(files).filter((path) => exists(join(folder, path)));
  if (there.length > 0) {
    const verb = there.length === 1 ? "exists" : "exist";
    throw new UsageError(`${there.join(", ")} ${verb} already. Nothing was written; ${advice}.`);
  }
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: "wx" });
  }
}

export const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
