import { closeSync, existsSync, lstatSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { isObject, parseJson } from "../provider/base/json";
import { series } from "../provider/base/text";
import { UsageError } from "./errors";
import type { Io } from "./io";
import { present } from "./lists";

/**
 * Finds, reads and writes files. If a command's input can't be read, or its output can't be written, that is reported
 * as a UsageError.
 */

/** Returns the folder and all its parents, starting with the folder itself. */
export const parentsOf = (folder: string): string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...parentsOf(dirname(folder))];

/** Returns the contents of the package.json in this folder. Empty if there is none, or if it isn't a JSON object. */
export function manifestIn(folder: string): Readonly<Record<string, unknown>> {
  const file = join(folder, "package.json");
  const manifest = existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined;
  return isObject(manifest) ? manifest : {};
}

/** Reads a file, or standard input for `-`. */
export async function readText(file: string, io: Io): Promise<string> {
  if (file === "-") {
    return decode(await buffer(io.stdin), false);
  }
  try {
    return decode(readFileSync(resolve(io.cwd, file)), true);
  } catch (error) {
    if (systemCode(error) === "ERR_ENCODING_INVALID_ENCODED_DATA") {
      throw new UsageError(`${file} is not UTF-8 text. Save the file as UTF-8; in a spreadsheet, choose CSV in UTF-8.`);
    }
    const exists = systemCode(error) !== "ENOENT";
    throw new UsageError(exists ? `${file} cannot be read (${systemCode(error)}).` : `${file} does not exist.`);
  }
}

/** Returns the code of a system error, such as `ENOENT`. */
const systemCode = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown error";

/**
 * Decodes UTF-8, or little-endian UTF-16 with a byte order mark, which PowerShell's `>` writes. The decoder removes
 * byte order marks.
 */
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

/** The contents of text files by path, such as `scripts/deploy.sh`. All paths are relative to the same folder. */
export type Files = Readonly<Record<string, string>>;

/**
 * Creates all these files in the folder, or none of them. If a file already exists or can't be written, throws a
 * UsageError.
 * @param advice what the user should do if a file already exists
 */
export function writeNew(folder: string, files: Files, advice = "choose another folder"): void {
  const existing = Object.keys(files).filter((path) => pathExists(join(folder, path)));
  if (existing.length > 0) {
    const verb = existing.length === 1 ? "exists" : "exist";
    throw new UsageError(`${series(existing)} already ${verb}. Nothing was written; ${advice}.`);
  }
  /** The files and folders created so far, to be removed again if a later file can't be written. */
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

/** Whether the path exists. Unlike `existsSync`, returns true for a symbolic link whose target doesn't exist. */
function pathExists(path: string): boolean {
  try {
    return lstatSync(path) !== undefined;
  } catch {
    return false;
  }
}
