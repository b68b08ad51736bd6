import { closeSync, lstatSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { UsageError } from "./errors";
import type { Io } from "./io";
import { present } from "./lists";

/** The files that a command reads and writes. */

/** Reads a file, or standard input for `-`. */
export async function readText(file: string, io: Io): Promise<string> {
  if (file === "-") {
    return decode(await buffer(io.stdin), false);
  }
  try {
    return decode(readFileSync(resolve(io.cwd, file)), true);
  } catch (error) {
    if (systemCode(error) === "ERR_ENCODING_INVALID_ENCODED_DATA") {
      throw new UsageError(`${file} is no text in UTF-8. Save it as one: a spreadsheet as CSV in UTF-8.`);
    }
    const exists = systemCode(error) !== "ENOENT";
    throw new UsageError(exists ? `${file} cannot be read (${systemCode(error)}).` : `${file} is not there.`);
  }
}

/** Returns the code of a system error, such as `ENOENT`. */
const systemCode = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown error";

/** Decodes UTF-8, or UTF-16 with a byte order mark, as PowerShell's `>` writes it. The decoder drops the mark. */
function decode(bytes: Uint8Array, isStrict: boolean): string {
  const [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe ? "utf-16le" : "utf-8";
  return new TextDecoder(encoding, { fatal: isStrict }).decode(bytes);
}

/** Writes to the file, or to standard output if no file is named. */
export function writeText(text: string, file: string | undefined, io: Io): void {
  if (file === undefined) {
    io.stdout.write(text);
    return;
  }
  try {
    writeFileSync(resolve(io.cwd, file), text);
  } catch (error) {
    throw new UsageError(`${file} cannot be written (${systemCode(error)}).`);
  }
}

/** File contents by path. Paths are relative to a folder and use slashes. */
export type Files = Readonly<Record<string, string>>;

/** Writes all files, or none if one of them exists or cannot be written. */
export function writeNew(folder: string, files: Files, advice = "choose another folder"): void {
  const existing = Object.keys(files).filter((path) => pathExists(join(folder, path)));
  if (existing.length > 0) {
    const verb = existing.length === 1 ? "exists" : "exist";
    throw new UsageError(`${existing.join(", ")} ${verb} already. Nothing was written; ${advice}.`);
  }
  /** What this call has made. */
  const created: string[] = [];
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    try {
      created.push(...present([mkdirSync(dirname(file), { recursive: true })]));
      // A script with a `#!` line is made executable.
      closeSync(openSync(file, "wx", text.startsWith("#!") ? 0o777 : 0o666));
      created.push(file);
      writeFileSync(file, text);
    } catch (error) {
      for (const createdPath of created) {
        rmSync(createdPath, { recursive: true, force: true });
      }
      throw new UsageError(`${path} cannot be written (${systemCode(error)}). Nothing was written.`);
    }
  }
}

/** A broken link also counts as existing. */
function pathExists(path: string): boolean {
  try {
    return lstatSync(path) !== undefined;
  } catch {
    return false;
  }
}
