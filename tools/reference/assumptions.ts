import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./declarations";

/** A row of the table in docs/assumptions.md: one thing that the interface does not specify. */
export interface Assumption {
  /** The same number in docs, tests and the emulator's switches. */
  readonly row: number;
  readonly silence: string;
  /** Sections of the interface. */
  readonly sections: readonly string[];
  /** The setting of the stack that changes what the provider does. */
  readonly setting: string | undefined;
}

/** `| <a id="a3"></a>3 | how a removal is written ([4.1](interface.md#…)) | null, then empty, … | `clearWith` |` */
const ROW = /^\| <a id="a(\d+)"><\/a>\1 \| (.+) \((\[.+)\) \| .+ \| (?:`(\w+)`|argument `\w+`|) \|$/gm;

const page = readFileSync(join(root, "docs/assumptions.md"), "utf8");

export const assumptions: readonly Assumption[] = [...page.matchAll(ROW)].map(
  ([, row, silence = "", links = "", setting]) => ({
    row: Number(row),
    silence,
    sections: [...links.matchAll(/\[(\d(?:\.\d)?)\]/g)].map(([, section = ""]) => section),
    setting,
  }),
);
