import type { Tally } from "./explore";
import type { Life } from "./life";
import type { Broken } from "./oracles";

/** Lives in words: to be read, and to be pasted into pasted.spec.ts. */

const literal = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(/"(\w+)":/g, "$1: ")
    .replaceAll(/,(?=[{"[\w])/g, ", ");

export const lifeText = (life: Life): string => `[\n${life.map((step) => `  ${literal(step)},`).join("\n")}\n]`;

export const failureText = ({ life, broken }: { readonly life: Life; readonly broken: Broken }): string =>
  `${broken.message}\n${lifeText(life)}`;

/** How many there are, how many ran, how long it took. */
export const tallyText = (title: string, { lives, shared, runs, faults, refused }: Tally, seconds: number): string =>
  [
    `      ${title}: ${lives} lives, of which ${lives - shared} were lived to their end and ${shared} came to the place of another one;`,
    `      ${runs} runs of the engine, ${faults} of them with a fault, ${refused} refused by a guard; ${seconds.toFixed(0)} s of processor time`,
  ].join("\n");
