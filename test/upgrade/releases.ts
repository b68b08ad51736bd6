import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { StackState } from "../support/engine";

/** What releases wrote, a folder for each. `npm run record` makes that of the version in package.json. */

const testdata = join(__dirname, "testdata");
export const isRecording = process.env.RECORD_RELEASE !== undefined;

/** Of `state`, `unfinished` or `plugin`, as a release left it; or of a folder of files. */
export const keptFile = (what: string, release: string): string => join(testdata, release, `${what}.json`);

export const releasesWith = (what: string): string[] =>
  readdirSync(testdata).filter((release) => existsSync(keptFile(what, release)));

/** Never an address that answers: the test puts the emulator's in its place. */
const PLACEHOLDER = "http://127.0.0.1:1";

/** JSON without the lines of the program that declared the resources: they name a folder of one machine. */
export function keep(file: string, text: string, url: string): void {
  const withoutPlaces = (key: string, value: unknown) =>
    key === "sourcePosition" || key === "stackTrace" ? undefined : value;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(JSON.parse(text.replaceAll(url, PLACEHOLDER)), withoutPlaces, 4)}\n`);
}

/** With the platform's present address: for `stack.import`, if it is a state. */
export const kept = <Read = StackState>(file: string, url: string): Read =>
  JSON.parse(readFileSync(file, "utf8").replaceAll(PLACEHOLDER, url)) as Read;
