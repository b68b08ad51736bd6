import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StackState } from "../support/engine";

/** The states that releases wrote, kept for good. */
const testdata = join(__dirname, "testdata");

/** `state`, `unfinished` or `plugin`, as a release left it. */
export const keptFile = (what: string, release: string): string => join(testdata, `${what}-${release}.json`);

export const releasesOf = (what: string): string[] =>
  readdirSync(testdata).flatMap((file) => new RegExp(`^${what}-(.+)\\.json$`).exec(file)?.[1] ?? []);

/** Never an address that answers: the test puts the emulator's in its place. */
const PLACEHOLDER = "http://127.0.0.1:1";

/** Without the lines of the program that declared the resources: they name a folder of one machine. */
export function keep(file: string, text: string, url: string): void {
  const withoutPlaces = (key: string, value: unknown) =>
    key === "sourcePosition" || key === "stackTrace" ? undefined : value;
  const deployment = JSON.stringify(JSON.parse(text.replaceAll(url, PLACEHOLDER)), withoutPlaces, 4);
  writeFileSync(file, `${deployment}\n`);
}

/** For `stack.import`: the platform's present address. */
export const kept = (file: string, url: string): StackState =>
  JSON.parse(readFileSync(file, "utf8").replaceAll(PLACEHOLDER, url)) as StackState;
